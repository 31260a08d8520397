// Pointers, wheel and keys on a view become movements of the camera; a view's tool may take a drag.

const STEP = 0.06; // of a view's height, for an arrow key

export function gestures(view, camera, { tool, moved, hover, click, leave, nudge }) {
  const pointers = new Map();
  let travelled = 0;
  let used = null;

  const place = (event) => {
    const box = view.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top, box };
  };

  view.addEventListener("pointerdown", (event) => {
    if (event.target.closest("button")) return;
    view.setPointerCapture(event.pointerId);
    const at = place(event);
    pointers.set(event.pointerId, at);
    travelled = 0;
    const asked = pointers.size === 1 && event.button === 0 && !event.shiftKey;
    if (pointers.size === 2) used?.end?.(true);
    used = asked ? tool() : null;
    used?.start(at);
  });

  view.addEventListener("pointermove", (event) => {
    const at = place(event);
    const before = pointers.get(event.pointerId);
    if (!before) return hover(at, event.pointerType);
    const [dx, dy] = [(at.x - before.x) / at.box.height, (at.y - before.y) / at.box.height];
    travelled += Math.hypot(at.x - before.x, at.y - before.y);
    if (used) {
      const between = event.getCoalescedEvents?.() ?? [];
      (between.length ? between : [event]).forEach((each) => used.move(place(each)));
    } else if (pointers.size === 2) pinch(event.pointerId, at, dx, dy);
    else if (camera.dim === 3 && !event.shiftKey && event.buttons === 1) camera.turn(dx, dy);
    else camera.pan(dx, dy);
    pointers.set(event.pointerId, at);
    if (!used) moved();
  });

  const end = (event) => {
    const at = pointers.get(event.pointerId);
    if (!pointers.delete(event.pointerId)) return;
    if (used) used.end(false);
    else if (event.type === "pointerup" && travelled < 5 && pointers.size === 0) click(at);
    used = null;
  };
  view.addEventListener("pointerup", end);
  view.addEventListener("pointercancel", end);
  view.addEventListener("pointerleave", (event) => pointers.size === 0 && leave(event));
  view.addEventListener("contextmenu", (event) => event.preventDefault());

  view.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const { x, y, box } = place(event);
      const lines = event.deltaMode === 1 ? 30 : 1;
      camera.zoom(Math.exp(Math.max(Math.min(event.deltaY * lines, 200), -200) * 0.0016), ...fromMiddle(x, y, box));
      moved();
    },
    { passive: false },
  );

  view.addEventListener("dblclick", () => {
    camera.reset();
    moved();
  });

  view.addEventListener("keydown", (event) => {
    if (event.target !== view || event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (arrow && event.shiftKey) nudge(...arrow);
    else if (tool()?.key?.(event, arrow)) return event.preventDefault();
    else if (arrow && camera.dim === 3) camera.turn(-arrow[0] * STEP, -arrow[1] * STEP);
    else if (arrow) camera.pan(-arrow[0] * STEP, -arrow[1] * STEP);
    else if (event.key === "+" || event.key === "=") camera.zoom(0.85);
    else if (event.key === "-") camera.zoom(1 / 0.85);
    else if (event.key === "0") camera.reset();
    else return;
    event.preventDefault();
    moved();
  });

  function pinch(id, at, dx, dy) {
    const [other] = [...pointers].filter(([key]) => key !== id).map(([, place]) => place);
    const before = pointers.get(id);
    const factor =
      Math.hypot(before.x - other.x, before.y - other.y) / (Math.hypot(at.x - other.x, at.y - other.y) || 1);
    camera.pan(dx / 2, dy / 2);
    camera.zoom(factor, ...fromMiddle((at.x + other.x) / 2, (at.y + other.y) / 2, at.box));
  }
}

const fromMiddle = (x, y, box) => [(x - box.width / 2) / box.height, (box.height / 2 - y) / box.height];
