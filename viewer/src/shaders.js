// Values become colors at every pixel, so that a color stands for the interpolated value.

export const NOWHERE = -1e38; // stands for NaN, which hardware treats as it likes

export const vertex = /* glsl */ `
attribute float value;
uniform vec4 plane;        // drawn where dot(plane.xyz, position) < plane.w
uniform float size, lit;
varying float v, beyond, light;
void main() {
  v = value;
  beyond = dot(plane.xyz, position) - plane.w;
  vec3 n = normalMatrix * normal;
  light = mix(1.0, 0.66 + 0.40 * abs(dot(normalize(n + vec3(0.0, 0.0, 1e-6)), vec3(0.25, 0.45, 0.86))), lit);
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = size;
  #ifdef ROUND
  if (value < -1e30) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  #endif
}`;

export const fragment = /* glsl */ `
uniform sampler2D lut;
uniform vec2 range;        // lo and 1 / (hi - lo)
uniform vec3 none, isoline;
uniform float isolines, clip;
varying float v, beyond, light;
void main() {
  if (clip > 0.5 && beyond > 0.0) discard;
  #ifdef ROUND
  vec2 d = gl_PointCoord - 0.5;
  if (dot(d, d) > 0.25) discard;
  #endif
  float s = (v - range.x) * range.y;
  vec3 color = v < -1e30 ? none : texture2D(lut, vec2(clamp(s, 0.0, 1.0) * 0.99609375 + 0.001953125, 0.5)).rgb;
  #ifdef LINES
  if (isolines > 0.5 && v > -1e30) {
    float k = s * 12.0;
    float far = abs(fract(k - 0.5) - 0.5) / max(fwidth(k), 1e-6);
    color = mix(isoline, color, 0.45 + 0.55 * smoothstep(0.5, 1.4, far));
  }
  #endif
  gl_FragColor = vec4(color * light, 1.0);
}`;
