// The page of `llt view`: asks what is viewed, then shows its cases or the live problem.

import { onThemeChange } from "./colors.js";
import { byId } from "./dom.js";
import { Live } from "./live.js";
import { getJson } from "./server.js";
import { Stage } from "./stage.js";
import { Trouble, trouble } from "./trouble.js";
import { Viewing } from "./viewing.js";

async function start() {
  const asked = [
    getJson("api/about"),
    getJson(
      `api/cases${location.hash.includes("split=") ? `?split=${new URLSearchParams(location.hash.slice(1)).get("split")}` : ""}`,
    ),
  ];
  asked[1].catch(() => {});
  const about = await asked[0];
  document.title = `${about.title} \u2013 llt view`;
  byId("title").textContent = about.title;
  byId("subtitle").textContent = [about.name, about.subtitle].filter(Boolean).join(" \u00b7 ");
  const stage = makeStage({
    onrange: (...range) => tab.setRange(...range),
    onprobe: (probe) => tab?.setProbe(probe),
  });
  const tabs = {
    cases: about.num_cases > 0 ? new Viewing(about, stage, asked[1]) : null,
    live: about.live ? new Live(about, stage) : null,
  };
  let tab = null;

  function open(name) {
    tab?.close();
    tab = tabs[name];
    document.body.dataset.tab = name;
    for (const each of ["cases", "live"]) byId(`tab-${each}`).setAttribute("aria-selected", each === name);
    return tab.open();
  }

  for (const name of ["cases", "live"])
    byId(`tab-${name}`).addEventListener(
      "click",
      () => document.body.dataset.tab !== name && trouble.during(() => open(name)),
    );
  byId("tabs").addEventListener("keydown", (event) => {
    if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    const other = byId(document.body.dataset.tab === "live" ? "tab-cases" : "tab-live");
    other.focus();
    other.click();
  });
  byId("tabs").hidden = !(tabs.cases && tabs.live);
  onThemeChange(() => stage.recolor());
  const begin = location.hash === "#live" ? "live" : location.hash ? "cases" : about.first;
  await open(tabs[begin] ? begin : tabs.cases ? "cases" : "live");
}

function makeStage(events) {
  try {
    return new Stage(events);
  } catch {
    throw new Trouble("This browser cannot draw here: it needs WebGL 2, which is missing or switched off.");
  }
}

trouble.during(start).finally(() => document.body.classList.remove("loading"));
