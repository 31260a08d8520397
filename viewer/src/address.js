// What is shown stands in the page's address, so that reloading and sharing it come back to it.

export const fromAddress = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

export function toAddress(entries) {
  const kept = Object.entries(entries).filter(([, value]) => value != null && value !== "");
  history.replaceState(null, "", `#${new URLSearchParams(kept)}`);
}
