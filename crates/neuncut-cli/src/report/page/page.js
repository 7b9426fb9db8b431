"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const find = (id) => document.getElementById(id);
  const make = (name, attributes, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const map = find("map");
  const marks = [...map.querySelectorAll("path")];
  const placeOf = new Map(data.map.map(([row, x, y], at) => [at, { row, x, y }]));
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const palette = ["c0", "c1", "c2", "c3", "c4", "c5", "c6"];
  const cluster = (at) => data.clusters[at] ? data.clusters[at].name : "none";
  const percent = (value) => (100 * value).toFixed(value > 0.995 ? 2 : 1) + "%";

  // ---- images and values of rows
  const picture = (at, scale) => {
    const s = data.sprite;
    const box = make("span", { class: "nn-image", role: "img", "aria-label": "row " + data.rows[at].row });
    const [w, h] = [s.width * scale, s.height * scale];
    box.style.cssText = `width:${w}px;height:${h}px;background-image:url(${s.source});` +
      `background-size:${s.across * w}px auto;background-position:-${(at % s.across) * w}px -${Math.floor(at / s.across) * h}px`;
    return box;
  };
  const drawing = (values) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 100 40");
    svg.setAttribute("preserveAspectRatio", "none");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const y = (v) => (high > low ? 36 - 32 * (v - low) / (high - low) : 20).toFixed(1);
    path.setAttribute("d", values.map((v, i) => (i ? "L" : "M") + (100 * i / Math.max(values.length - 1, 1)).toFixed(1) + " " + y(v)).join(""));
    svg.append(path);
    return svg;
  };
  const shown = (at) => {
    const row = data.rows[at];
    const figure = make("figure", { class: "nn-row" + (row.text ? " nn-text" : data.sprite ? "" : " nn-values") });
    if (row.text) figure.append(make("q", {}, row.text), make("br"));
    else if (data.sprite) figure.append(picture(at, Math.max(1, Math.floor(64 / Math.max(data.sprite.width, data.sprite.height)))));
    else if (row.values.length > 4) figure.append(drawing(row.values));
    else figure.append(make("b", {}, row.values.join(", ")), make("br"));
    figure.append(`row ${row.row}`, make("br"), percent(row.confidence));
    if (data.classes.length) figure.append(make("br"), `class ${data.classes[row.class]}`);
    return figure;
  };

  // ---- colours of the map
  const ramp = (value) => {
    const t = Math.max(0, Math.min(1, (value - 0.3) / 0.7));
    const [from, to] = dark.matches ? [[92, 52, 30], [86, 180, 233]] : [[230, 159, 0], [0, 70, 130]];
    return `rgb(${from.map((a, i) => Math.round(a + t * (to[i] - a))).join(",")})`;
  };
  const classColour = (at) => `hsl(${Math.round(360 * at / Math.max(data.classes.length, 1))} 65% ${dark.matches ? 62 : 42}%)`;
  const right = (row) => data.matched[row.cluster] === row.class;
  const key = (colour, text) => {
    const swatch = make("i");
    swatch.style.background = colour;
    return make("span", {}, swatch, text);
  };
  const modes = {
    cluster: { colour: () => "", legend: () => [] },
    confidence: {
      colour: (row) => ramp(row.confidence),
      legend: () => [0.3, 0.5, 0.7, 0.85, 1].map((value) => key(ramp(value), percent(value))),
    },
    class: { colour: (row) => classColour(row.class), legend: () => data.classes.map((name, at) => key(classColour(at), name)) },
    wrong: {
      colour: (row) => right(row) ? (dark.matches ? "#3a4148" : "#c9ced3") : "#d55e00",
      legend: () => [key(dark.matches ? "#3a4148" : "#c9ced3", "in the cluster of its class"), key("#d55e00", "elsewhere")],
    },
  };
  const state = { colour: "cluster", cluster: "" };
  const paint = () => {
    const mode = modes[state.colour];
    marks.forEach((mark) => {
      const row = data.rows[mark.dataset.row];
      mark.style.color = mode.colour(row);
      mark.classList.toggle("nn-off", state.cluster !== "" && row.cluster !== Number(state.cluster));
    });
    find("legend").replaceChildren(...mode.legend());
    map.dataset.colour = state.colour;
    map.dataset.cluster = state.cluster;
  };

  // ---- rows of the chosen cluster, or of the first few
  const FIRST = 12;
  const strip = (title, rows) => rows.length ? [make("h3", {}, title), make("div", { class: "nn-strip" }, ...rows.map(shown))] : [];
  const rows = () => {
    const chosen = state.cluster === "" ? [...data.clusters.keys()].slice(0, FIRST) : [Number(state.cluster)];
    const most = state.cluster === "" ? 6 : 12;
    const parts = chosen.flatMap((at) => {
      const c = data.clusters[at];
      if (!c.size) return [make("h3", {}, `Cluster ${c.name} has no rows`)];
      const words = c.words ? [make("p", { class: "nn-words" }, `Words of cluster ${c.name}: ${c.words.join(", ")}`)] : [];
      return [...words, make("div", { class: "nn-pair" },
        make("div", {}, ...strip(`Cluster ${c.name}: most typical`, c.typical.slice(0, most))),
        make("div", {}, ...strip(`Cluster ${c.name}: least certain`, c.uncertain.slice(0, most))))];
    });
    if (state.cluster === "" && data.clusters.length > FIRST) {
      parts.push(make("p", {}, `The first ${FIRST} of ${data.clusters.length} clusters; choose one to see it.`));
    }
    find("rows").replaceChildren(...parts);
  };
  const choose = (value) => {
    state.cluster = value;
    find("cluster").value = value;
    document.querySelectorAll(".nn-size").forEach((b) => b.setAttribute("aria-pressed", String(b.dataset.cluster === value && value !== "")));
    paint();
    rows();
  };

  // ---- what lies under the pointer
  const tip = find("tip");
  let at = null;
  const leave = () => {
    tip.hidden = true;
    if (at) at.classList.remove("nn-at");
    at = null;
  };
  const over = (event) => {
    const box = map.getBoundingClientRect();
    const scale = map.viewBox.baseVal.width / box.width;
    const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    let [best, least] = [-1, (14 * Math.max(scale, 1)) ** 2];
    for (const [i, p] of placeOf) {
      const d = (p.x - x) ** 2 + (p.y - y) ** 2;
      if (d < least && !marks[i].classList.contains("nn-off")) [best, least] = [i, d];
    }
    if (best < 0) return leave();
    if (at) at.classList.remove("nn-at");
    at = marks[best];
    at.classList.add("nn-at");
    const place = placeOf.get(best);
    const row = data.rows[place.row];
    tip.replaceChildren();
    if (data.sprite) tip.append(picture(place.row, Math.max(1, Math.floor(84 / Math.max(data.sprite.width, data.sprite.height)))));
    tip.append(make("b", {}, `row ${row.row}`), make("br"), `cluster ${cluster(row.cluster)}, ${percent(row.confidence)}`);
    if (row.second !== row.cluster) tip.append(make("br"), `then ${cluster(row.second)}, ${percent(row.second_confidence)}`);
    if (row.text) tip.append(make("br"), make("q", {}, row.text));
    if (data.classes.length) tip.append(make("br"), `class ${data.classes[row.class]}`);
    tip.hidden = false;
    const [w, h] = [tip.offsetWidth, tip.offsetHeight];
    tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - w - 8)) + "px";
    tip.style.top = (event.clientY + 14 + h > innerHeight ? Math.max(4, event.clientY - h - 10) : event.clientY + 14) + "px";
  };
  map.addEventListener("pointermove", over);
  map.addEventListener("pointerdown", over);
  map.addEventListener("pointerleave", leave);
  addEventListener("scroll", leave, { passive: true });

  find("colour").addEventListener("change", (event) => { state.colour = event.target.value; paint(); });
  find("cluster").addEventListener("change", (event) => choose(event.target.value));
  document.querySelectorAll(".nn-size").forEach((button) =>
    button.addEventListener("click", () => choose(button.dataset.cluster === state.cluster ? "" : button.dataset.cluster)));
  dark.addEventListener("change", paint);
  choose("");
  document.documentElement.dataset.ready = "yes";
})();
