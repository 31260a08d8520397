// Color maps (perceptually even, safe for the color-blind) and the page's colors for what is drawn.

const VIRIDIS =
  "440154470d6048186a482374472d7b4537814240863e49893b528b375b8d33638d2f6b8e2c728e297a8e26828e23898e21918c1f988b" +
  "1fa08822a78528ae8032b67a3fbc734ec36b5ec96270cf5784d44b98d83eaddc30c2df23d8e219ece51bfde725";
const CIVIDIS =
  "00224e00285b002e6a0533711a386f273e6e32436d3b496c434e6c4b546c535a6d5a5f6e61656f686a716f70737676767d7c78848279" +
  "8c8878938e789b9476a39a74aba072b4a76fbcae6cc4b468cdbb63d5c25edec958e7d150f0d846f9e03afee838";
const GRAY = "1a1a1af2f2f2";

export const SEQUENTIAL = { viridis: VIRIDIS, cividis: CIVIDIS, gray: GRAY };

// Blue and orange of equal lightness on both sides; the middle is what the page's background is not far from.
const DIVERGING = {
  light: "123f7a2a67ac5b95cc9cc1e0d3e2eef7f7f5f5dfc8ecba88d88b45b4610f7a3a06",
  dark: "9ccbf562a4e03778b8264f7c20344a232a3244321f74491fac652ad98f4bf7c48f",
};
// |error| over the error bar: two calm steps within it, two loud ones beyond.
const RATIO = { light: "dfe7f0aec3dbf0a04bb5480c", dark: "2b3a4d4a6a8fd9842bffc489" };
// What is painted is told apart from what is computed.
const INPUT = { light: "e9edf2c3ccd88d9bae5b6b8236465c", dark: "1a222d3243586b80a0a5b6cfdfe7f2" };

export const THEMES = {
  light: {
    name: "light",
    ink: "#1e2a3b",
    soft: "#5b6779",
    line: "#dfe4ea",
    back: "#ffffff",
    card: "#f4f6f9",
    none: "#c3cad3",
  },
  dark: {
    name: "dark",
    ink: "#e6eaf0",
    soft: "#9aa6b6",
    line: "#303a48",
    back: "#131820",
    card: "#1c232e",
    none: "#566273",
  },
};

const darkness = matchMedia("(prefers-color-scheme: dark)");
export const theme = () => (darkness.matches ? THEMES.dark : THEMES.light);
export const onThemeChange = (act) => darkness.addEventListener("change", act);

// 256 colors (RGBA bytes) of a kind of panel.
export function table(kind, sequential, shown) {
  if (kind === "error") return spread(stops(DIVERGING[shown.name]));
  if (kind === "ratio") return steps(stops(RATIO[shown.name]));
  if (kind === "input") return spread(stops(INPUT[shown.name]));
  return spread(stops(SEQUENTIAL[sequential]));
}

export function rgb(hex) {
  const number = parseInt(hex.slice(-6), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

const stops = (text) => text.match(/.{6}/g).map(rgb);

function spread(colors) {
  return fill((share) => {
    const at = share * (colors.length - 1);
    const k = Math.min(Math.floor(at), colors.length - 2);
    return colors[k].map((c, i) => c + (at - k) * (colors[k + 1][i] - c));
  });
}

const steps = (colors) => fill((share) => colors[Math.min(Math.floor(share * colors.length), colors.length - 1)]);

function fill(color) {
  const bytes = new Uint8Array(256 * 4);
  for (let k = 0; k < 256; k++) bytes.set([...color(k / 255).map(Math.round), 255], 4 * k);
  return bytes;
}
