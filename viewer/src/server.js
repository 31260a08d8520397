// Questions to the server. What goes wrong becomes a Trouble with the server's line.

import { decode } from "./container.js";
import { Trouble } from "./trouble.js";

export const getJson = async (path) => (await ask(path)).json();

export const getContainer = async (path) => decode(await (await ask(path)).arrayBuffer());

export async function postContainer(path, body) {
  const headers = { "Content-Type": "application/json" };
  const answer = await ask(path, { method: "POST", headers, body: JSON.stringify(body) });
  return decode(await answer.arrayBuffer());
}

// Containers that were looked at before are shown without asking again.
export function remembering(ask, most) {
  const kept = new Map();
  return (path) => {
    const found = kept.get(path) ?? ask(path);
    kept.delete(path);
    kept.set(path, found);
    found.catch(() => kept.delete(path));
    if (kept.size > most) kept.delete(kept.keys().next().value);
    return found;
  };
}

// At most one call runs; of the calls made meanwhile only the latest follows it.
export function latestWins(task) {
  let running = false;
  let waiting = null;
  return async function call(argument) {
    if (running) {
      waiting = { argument };
      return;
    }
    running = true;
    try {
      await task(argument);
    } finally {
      running = false;
      const next = waiting;
      waiting = null;
      if (next) call(next.argument);
    }
  };
}

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Trouble("The server does not answer: is llt view still running? This page stays as it is.");
  }
  if (answer.ok) return answer;
  const text = await answer.json().then(
    (body) => body.error,
    () => null,
  );
  throw new Trouble(text ?? `The server answered with status ${answer.status}`);
}
