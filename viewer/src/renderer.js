// Draws the panels into one canvas: a scissored viewport each, one WebGL context for all.

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  ColorManagement,
  DataTexture,
  LineBasicMaterial,
  LineSegments,
  LinearFilter,
  LinearSRGBColorSpace,
  Mesh,
  Points,
  Scene,
  ShaderMaterial,
  Vector2,
  Vector4,
  WebGLRenderer,
} from "three";
import { NOWHERE, fragment, vertex } from "./shaders.js";

const MISSING = Math.fround(NOWHERE);
// around zero, errors are noise, and so would be their lines
const LINED = new Set(["value", "bar"]);
ColorManagement.enabled = false;

export class Renderer {
  #parts = new Map();
  #shared = new WeakMap();
  #points = material({ ROUND: 1 });
  #surface = material({ LINES: 1 });
  #outline = new LineBasicMaterial();

  constructor(canvas) {
    this.gl = new WebGLRenderer({ canvas, antialias: false, alpha: false, powerPreference: "high-performance" });
    this.gl.outputColorSpace = LinearSRGBColorSpace;
    this.gl.autoClear = false;
    this.gl.setScissorTest(true);
  }

  // What a panel shows: `values` on `mesh`, at `positions` where they are not the mesh's own.
  setPart(name, { mesh, values, positions = mesh.points }) {
    const old = this.#parts.get(name);
    if (old && old.mesh === mesh && old.positions === positions) {
      fill(old.value, values);
      return;
    }
    this.removePart(name);
    const value = new BufferAttribute(new Float32Array(mesh.count), 1);
    fill(value, values);
    this.#parts.set(name, { mesh, positions, value, ...this.#build(mesh, positions, value) });
  }

  removePart(name) {
    const old = this.#parts.get(name);
    old?.geometries.forEach((geometry) => geometry.dispose());
    old?.across?.children[0].geometry.dispose();
    this.#parts.delete(name);
  }

  resize(width, height, ratio) {
    this.gl.setPixelRatio(ratio);
    this.gl.setSize(width, height, false);
  }

  // views: {name, x, y, width, height, lo, hi, lut}, in pixels of the page from the canvas' top left.
  draw(views, camera, { theme, style }) {
    const size = this.gl.getSize(new Vector2());
    this.gl.setScissor(0, 0, size.x, size.y);
    this.gl.setClearColor(new Color(theme.back));
    this.gl.clear();
    this.gl.setClearColor(new Color(theme.card));
    for (const view of views) {
      const box = [view.x, size.y - view.y - view.height, view.width, view.height];
      this.gl.setViewport(...box);
      this.gl.setScissor(...box);
      this.gl.clear();
      const part = this.#parts.get(view.name);
      if (part) this.#drawPart(part, view, camera, theme, style);
    }
  }

  #drawPart(part, view, camera, theme, style) {
    const flat = part.mesh.dim === 2;
    const cut = style.cut && !flat ? style.cut : null;
    if (part.surface) part.surface.visible = !style.points;
    part.dots.visible = !part.surface || style.points;
    const across = cut && !style.points ? this.#section(part, cut.section) : null;
    this.#outline.color.set(theme.soft);
    for (const uniforms of [this.#surface.uniforms, this.#points.uniforms]) {
      uniforms.lut.value = this.#texture(view.lut);
      uniforms.range.value.set(view.lo, 1 / (view.hi - view.lo || 1));
      uniforms.none.value.set(theme.none);
      uniforms.isoline.value.set(theme.ink);
      uniforms.isolines.value = style.isolines && LINED.has(view.kind) ? 1 : 0;
      uniforms.plane.value.set(...(cut ? cut.plane : [0, 0, 0, 0]));
      uniforms.clip.value = cut ? 1 : 0;
    }
    this.#surface.uniforms.lit.value = flat ? 0 : 1;
    this.#points.uniforms.size.value = style.dot(part.mesh, view) * this.gl.getPixelRatio();
    this.gl.render(part.scene, camera);
    if (!across) return;
    this.#surface.uniforms.lit.value = this.#surface.uniforms.clip.value = 0;
    this.gl.render(across, camera);
  }

  // a scene of its own, so that it is neither lit nor clipped
  #section(part, section) {
    if (part.section !== section || part.sectionOf !== part.value.version) {
      part.across?.children[0].geometry.dispose();
      const values = Float32Array.from(section.source, (i) => part.value.array[i]);
      const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(section.points, 3));
      geometry
        .setAttribute("value", new BufferAttribute(values, 1))
        .setIndex(new BufferAttribute(known(section.triangles, values), 1));
      const drawn = new Mesh(geometry, this.#surface);
      drawn.frustumCulled = false;
      part.across = new Scene().add(drawn);
      [part.section, part.sectionOf] = [section, part.value.version];
    }
    return part.across;
  }

  #build(mesh, positions, value) {
    const attribute = this.#attribute(positions);
    const scene = new Scene();
    const geometries = [];
    const add = (Kind, paint, index, values) => {
      const geometry = new BufferGeometry().setAttribute("position", attribute);
      if (values) geometry.setAttribute("value", values);
      if (index) geometry.setIndex(this.#index(index));
      if (Kind === Mesh && mesh.dim === 3) geometry.setAttribute("normal", this.#normals(positions, index));
      const drawn = new Kind(geometry, paint);
      drawn.frustumCulled = false;
      scene.add(drawn);
      geometries.push(geometry);
      return drawn;
    };
    const surface = mesh.triangles && add(Mesh, this.#surface, mesh.triangles, value);
    const dots = add(Points, this.#points, null, value);
    const outline = mesh.lines && add(LineSegments, this.#outline, mesh.lines, null);
    return { scene, surface, dots, outline, geometries };
  }

  #attribute(positions) {
    return this.#keep(positions, () => new BufferAttribute(positions, 3));
  }

  #index(array) {
    return this.#keep(array, () => new BufferAttribute(array, 1));
  }

  #texture(bytes) {
    return this.#keep(bytes, () => {
      const texture = new DataTexture(bytes, 256, 1);
      texture.magFilter = texture.minFilter = LinearFilter;
      texture.needsUpdate = true;
      return texture;
    });
  }

  #normals(positions, triangles) {
    const key = this.#attribute(positions);
    return this.#keep(key, () => {
      const geometry = new BufferGeometry().setAttribute("position", key);
      geometry.setIndex(this.#index(triangles));
      geometry.computeVertexNormals();
      return geometry.getAttribute("normal");
    });
  }

  #keep(key, make) {
    if (!this.#shared.has(key)) this.#shared.set(key, make());
    return this.#shared.get(key);
  }
}

// a field of the surface alone has no values in the air
function known(triangles, values) {
  const has = (k) => values[k] !== MISSING;
  const kept = [];
  for (let t = 0; t < triangles.length; t += 3) {
    const corners = triangles.subarray(t, t + 3);
    if (corners.every(has)) kept.push(...corners);
  }
  return Uint32Array.from(kept);
}

function fill(attribute, values) {
  const array = attribute.array;
  for (let i = 0; i < array.length; i++) array[i] = Number.isFinite(values[i]) ? values[i] : NOWHERE;
  attribute.needsUpdate = true;
}

function material(defines) {
  const uniforms = {
    lut: { value: null },
    range: { value: new Vector2(0, 1) },
    none: { value: new Color() },
    isoline: { value: new Color() },
    isolines: { value: 0 },
    clip: { value: 0 },
    plane: { value: new Vector4() },
    size: { value: 3 },
    lit: { value: 0 },
  };
  return new ShaderMaterial({ uniforms, vertexShader: vertex, fragmentShader: fragment, defines, side: 2 });
}
