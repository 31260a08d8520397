// One camera for all panels, so that they are linked: flat for 2-D, turning about a target in 3-D.

import { OrthographicCamera, PerspectiveCamera, Vector3 } from "three";
import { sizeOf } from "./mesh.js";

const ANGLE = 20; // degrees, the height of view in 3-D
const MARGIN = 1.06;
const NEARER = 1.1;

export class Camera {
  aspect = 1;
  #home = null;

  // The first view of a mesh; a later mesh of the same kind keeps the view that was chosen.
  frame(mesh, { keep = false, room = 1 } = {}) {
    const home = first(mesh, room);
    if (keep && this.#home && this.dim === mesh.dim && !this.#atHome) {
      this.#home = home;
      return;
    }
    this.dim = mesh.dim;
    this.up = mesh.up;
    this.#home = home;
    this.reset();
  }

  get #atHome() {
    return this.untouched === true;
  }

  reset() {
    Object.assign(this, { ...this.#home, target: this.#home.target.clone() });
    this.untouched = true;
  }

  // What three.js draws with, for views of one aspect.
  three() {
    return this.dim === 3 ? this.#perspective() : this.#flat();
  }

  get height() {
    return Math.max(this.extent[1], this.extent[0] / this.aspect) * MARGIN * this.scale;
  }

  pan(dx, dy) {
    this.untouched = false;
    const { right, above } = this.#axes();
    this.target.addScaledVector(right, -dx * this.height).addScaledVector(above, dy * this.height);
  }

  turn(dx, dy) {
    this.untouched = false;
    this.yaw -= dx * 3.2;
    this.pitch = Math.min(Math.max(this.pitch + dy * 3.2, -1.55), 1.55);
  }

  // `x`, `y`: where in the view, from its middle, in heights of the view; that place stays.
  zoom(factor, x = 0, y = 0) {
    const before = this.height;
    this.scale = Math.min(Math.max(this.scale * factor, 1e-4), 40);
    const moved = (before - this.height) / this.height;
    this.pan(-x * moved, y * moved);
  }

  #flat() {
    const half = this.height / 2;
    const camera = new OrthographicCamera(-half * this.aspect, half * this.aspect, half, -half, -1, 1);
    camera.position.set(this.target.x, this.target.y, 0);
    camera.updateMatrixWorld();
    return camera;
  }

  #perspective() {
    const { out, above } = this.#axes();
    const distance = this.height / 2 / Math.tan((ANGLE * Math.PI) / 360);
    const reach = this.radius * 4;
    const camera = new PerspectiveCamera(
      ANGLE,
      this.aspect,
      Math.max(distance - reach, distance / 100),
      distance + reach,
    );
    camera.up.copy(above);
    camera.position.copy(this.target).addScaledVector(out, distance);
    camera.lookAt(this.target);
    camera.updateMatrixWorld();
    return camera;
  }

  #axes() {
    return axes(this.dim, this.up, this.yaw, this.pitch);
  }
}

function axes(dim, up, yaw, pitch) {
  if (dim === 2) return { right: new Vector3(1, 0, 0), above: new Vector3(0, 1, 0), out: new Vector3(0, 0, 1) };
  const [c, s] = [Math.cos(pitch), Math.sin(pitch)];
  const flat = [c * Math.cos(yaw), c * Math.sin(yaw), s];
  const out = up === "y" ? new Vector3(flat[1], flat[2], flat[0]) : new Vector3(...flat);
  const pole = up === "y" ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1);
  const right = new Vector3().crossVectors(pole, out).normalize();
  return { out, right, above: new Vector3().crossVectors(out, right) };
}

function first(mesh, room) {
  const size = sizeOf(mesh.focus);
  const [lo, hi] = mesh.focus;
  const target = new Vector3(...lo.map((l, i) => (l + hi[i]) / 2));
  const radius = Math.hypot(...sizeOf(mesh.bounds)) || 1;
  if (mesh.dim === 2) {
    const extent = [size[0] || 1, size[1] || size[0] || 1];
    return { target, radius, extent, scale: 1, yaw: 0, pitch: 0 };
  }
  const [yaw, pitch] = [mesh.up === "y" ? Math.PI - 0.62 : 0.62, 0.3];
  const { right, above } = axes(3, mesh.up, yaw, pitch);
  // how wide the box looks from there; what is near looks larger
  const across = (axis) => NEARER * size.reduce((sum, length, k) => sum + length * Math.abs(axis.getComponent(k)), 0);
  return { target, radius, extent: [across(right) || 1, across(above) || 1], scale: room, yaw, pitch };
}
