// The server's binary answers: "LLTV", length of a JSON header, the header, then the arrays.

const TYPES = { float32: Float32Array, uint32: Uint32Array, uint8: Uint8Array };

export function decode(buffer) {
  const view = new DataView(buffer);
  const magic = buffer.byteLength < 8 ? 0 : view.getUint32(0, false);
  if (magic !== 0x4c4c5456) throw new Error("the server's answer is not a container of arrays");
  const length = view.getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const first = 8 + length;
  const arrays = {};
  for (const { name, dtype, shape, offset } of header.arrays) {
    const count = shape.reduce((product, n) => product * n, 1);
    arrays[name] = new TYPES[dtype](buffer, first + offset, count);
  }
  const shapes = Object.fromEntries(header.arrays.map(({ name, shape }) => [name, shape]));
  return { meta: header.meta, arrays, shapes };
}
