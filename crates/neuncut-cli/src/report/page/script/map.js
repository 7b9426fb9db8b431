// ---- the map: colours, names, zoom, and what lies under the pointer
const map = find("map");
const groups = all("g", map);
const marks = all("path", map);
const places = new Map(data.map.map(([row, x, y]) => [row, { x, y }]));
const whole = { ...["x", "y", "width", "height"].reduce((box, key) => ({ ...box, [key]: map.viewBox.baseVal[key] }), {}) };
let view = { ...whole };
const CLOSEST = 40;

const ramp = (value) => {
  const t = Math.max(0, Math.min(1, (value - 0.3) / 0.7));
  const [from, to] = dark.matches ? [[120, 66, 36], [110, 196, 245]] : [[226, 150, 20], [0, 70, 130]];
  return `rgb(${from.map((a, i) => Math.round(a + t * (to[i] - a))).join(",")})`;
};
const classColour = (at) => `hsl(${Math.round(360 * at / Math.max(data.classes.length, 1))} 65% ${dark.matches ? 62 : 42}%)`;
const isRight = (row) => data.matched[row.cluster] === row.class;
const plain = () => dark.matches ? "#4a525b" : "#c3c9cf";
const key = (colour, text) => {
  const dot = make("i", { class: "nn-dot" });
  dot.style.color = colour;
  return make("span", {}, dot, text);
};
const MOST_KEYS = 40;
const modes = {
  cluster: { colour: () => "", node: () => "", legend: () => [] },
  confidence: {
    colour: (row) => ramp(row.confidence),
    node: (node) => ramp(node.confidence),
    legend: () => [0.3, 0.5, 0.7, 0.85, 1].map((value) => key(ramp(value), percent(value))),
  },
  class: {
    node: plain,
    colour: (row) => classColour(row.class),
    legend: () => data.classes.slice(0, MOST_KEYS).map((name, at) => key(classColour(at), name)),
  },
  wrong: {
    node: plain,
    colour: (row) => isRight(row) ? plain() : "#d55e00",
    legend: () => [key(plain(), "in the cluster of its class"), key("#d55e00", "elsewhere")],
  },
};
const isOff = (at) => (state.chosen !== null && state.chosen !== at) || (state.query !== "" && !matching.has(at));
const paintMap = () => {
  groups.forEach((group, cluster) => {
    const at = owner[cluster];
    group.setAttribute("class", `k${data.nodes[at].colour}` + (isOff(at) ? " nn-off" : ""));
  });
  marks.forEach((mark) => { mark.style.color = modes[state.colour].colour(data.rows[mark.dataset.row]); });
  find("legend").replaceChildren(...modes[state.colour].legend());
  map.dataset.colour = state.colour;
  placeNames();
};

// names, the largest cluster first, where there is room: above small clusters, within large ones
const SMALL = 40;
const ruler = document.createElement("canvas").getContext("2d");
ruler.font = "600 13px Helvetica, Arial, sans-serif";
const shortened = (text) => text.length > 30 ? text.slice(0, 29).trimEnd() + "\u2026" : text;
const middle = (values) => values.sort((a, b) => a - b)[values.length >> 1];
let centres = [];
const findCentres = () => {
  const members = new Map();
  for (const [row, place] of places) {
    const at = owner[data.rows[row].cluster];
    if (!members.has(at)) members.set(at, []);
    members.get(at).push(place);
  }
  centres = [...members].map(([at, own]) => {
    const [x, y] = [middle(own.map((p) => p.x)), middle(own.map((p) => p.y))];
    const apart = (p) => (p.x - x) ** 2 + (p.y - y) ** 2;
    const near = own.sort((a, b) => apart(a) - apart(b)).slice(0, Math.ceil(own.length / 2));
    return { at, ...near[0], top: Math.min(...near.map((p) => p.y)) };
  }).sort((a, b) => data.nodes[b.at].size - data.nodes[a.at].size || a.at - b.at);
};
const placeNames = () => {
  const box = map.getBoundingClientRect();
  const scale = box.width / view.width;
  const zoomBox = find("zoom-in").parentElement;
  const buttons = { left: zoomBox.offsetLeft - 4, bottom: zoomBox.offsetTop + zoomBox.offsetHeight + 12 };
  const taken = [];
  const chosen = state.chosen === null ? [] : centres.filter((c) => c.at === state.chosen);
  const labels = [];
  for (const centre of [...chosen, ...centres.filter((c) => !isOff(c.at) && c.at !== state.chosen)]) {
    const [x, top] = [(centre.x - view.x) * scale, (centre.top - view.y) * scale];
    const within = (centre.y - view.y) * scale;
    const y = within - top < SMALL ? top - 14 : within;
    const text = shortened(data.nodes[centre.at].name);
    const half = ruler.measureText(text).width / 2 + 5;
    if (x < 0 || y < 10 || x > box.width || y > box.height - 4) continue;
    if (y < buttons.bottom && x + half > buttons.left) continue;
    const left = Math.max(half, Math.min(x, box.width - half));
    if (taken.some((other) => Math.abs(other.y - y) < 19 && Math.abs(other.x - left) < other.half + half)) continue;
    taken.push({ x: left, y, half });
    const label = make("span", {}, text);
    label.style.cssText = `left:${left.toFixed(1)}px;top:${y.toFixed(1)}px`;
    labels.push(label);
  }
  find("names").replaceChildren(...labels);
};

// zoom
const show = (box) => {
  const width = Math.max(whole.width / CLOSEST, Math.min(whole.width, box.width));
  const height = width * whole.height / whole.width;
  view = {
    x: Math.max(0, Math.min(whole.width - width, box.x)), y: Math.max(0, Math.min(whole.height - height, box.y)), width, height,
  };
  map.setAttribute("viewBox", [view.x, view.y, view.width, view.height].map((v) => v.toFixed(2)).join(" "));
  map.classList.toggle("nn-zoomed", view.width < whole.width - 0.01);
  find("zoom-out").disabled = find("zoom-all").disabled = view.width >= whole.width - 0.01;
  leave();
  placeNames();
};
const inMap = (event) => {
  const box = map.getBoundingClientRect();
  return { x: view.x + (event.clientX - box.left) * view.width / box.width, y: view.y + (event.clientY - box.top) * view.height / box.height };
};
const zoom = (factor, at = { x: view.x + view.width / 2, y: view.y + view.height / 2 }) => {
  const width = Math.max(whole.width / CLOSEST, Math.min(whole.width, view.width / factor));
  const part = width / view.width;
  show({ x: at.x - (at.x - view.x) * part, y: at.y - (at.y - view.y) * part, width });
};
const move = (x, y) => show({ ...view, x: view.x + x, y: view.y + y });

// pointing
const tip = find("tip");
let pointed = null;
const leave = () => {
  tip.hidden = true;
  if (pointed) pointed.classList.remove("nn-at");
  pointed = null;
};
const nearest = (event) => {
  const point = inMap(event);
  const reach = 14 * Math.max(view.width / map.getBoundingClientRect().width, 0);
  let [best, least] = [null, reach ** 2];
  for (const mark of marks) {
    const place = places.get(Number(mark.dataset.row));
    const d = (place.x - point.x) ** 2 + (place.y - point.y) ** 2;
    if (d < least && !isOff(owner[data.rows[mark.dataset.row].cluster])) [best, least] = [mark, d];
  }
  return best;
};
const tell = (at) => {
  const row = data.rows[at];
  const [node, second] = [owner[row.cluster], owner[row.second]];
  const lines = [...content(at, 84), make("b", {}, titleOf(node)),
    make("span", {}, `${called(row)} \u00b7 cluster ${row.cluster} \u00b7 ${percent(row.confidence)}`)];
  if (second !== node && row.second_confidence >= 0.005) lines.push(make("span", {}, `then ${titleOf(second)}, ${percent(row.second_confidence)}`));
  if (data.classes.length) lines.push(make("span", {}, ...breakable(`class ${data.classes[row.class]}`)));
  tip.replaceChildren(...lines);
};
const over = (event) => {
  const best = nearest(event);
  if (best === null) return leave();
  leave();
  pointed = best;
  pointed.classList.add("nn-at");
  tell(Number(best.dataset.row));
  tip.hidden = false;
  const [w, h] = [tip.offsetWidth, tip.offsetHeight];
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - w - 8)) + "px";
  tip.style.top = (event.clientY + 14 + h > innerHeight ? Math.max(4, event.clientY - h - 10) : event.clientY + 14) + "px";
};

// mouse, fingers and keys: one pointer moves or chooses, two zoom
const down = new Map();
let moved = 0;
map.addEventListener("pointerdown", (event) => {
  down.set(event.pointerId, event);
  moved = 0;
  if (event.isTrusted) map.setPointerCapture(event.pointerId);
});
map.addEventListener("pointermove", (event) => {
  const before = down.get(event.pointerId);
  if (!before) return over(event);
  const scale = view.width / map.getBoundingClientRect().width;
  const [x, y] = [event.clientX - before.clientX, event.clientY - before.clientY];
  if (down.size === 2) {
    const other = [...down].find(([id]) => id !== event.pointerId)[1];
    const apart = (a) => Math.hypot(a.clientX - other.clientX, a.clientY - other.clientY) || 1;
    zoom(apart(event) / apart(before), inMap({ clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2 }));
    moved = 99;
  } else {
    moved += Math.abs(x) + Math.abs(y);
    if (view.width < whole.width) move(-x * scale, -y * scale);
  }
  down.set(event.pointerId, event);
});
const up = (event) => {
  const wasDown = down.delete(event.pointerId);
  if (!wasDown || moved > 6 || event.type !== "pointerup") return;
  over(event);
  choose(pointed ? owner[data.rows[pointed.dataset.row].cluster] : null);
};
["pointerup", "pointercancel"].forEach((name) => map.addEventListener(name, up));
map.addEventListener("pointerleave", leave);
addEventListener("scroll", leave, { passive: true });
map.addEventListener("wheel", (event) => {
  if (!event.ctrlKey && !event.metaKey && document.activeElement !== map) return;
  event.preventDefault();
  zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.002)), inMap(event));
}, { passive: false });
map.addEventListener("keydown", (event) => {
  const step = view.width / 8;
  const act = {
    "+": () => zoom(1.5), "=": () => zoom(1.5), "-": () => zoom(1 / 1.5), 0: () => show(whole), Escape: () => choose(null),
    ArrowLeft: () => move(-step, 0), ArrowRight: () => move(step, 0), ArrowUp: () => move(0, -step), ArrowDown: () => move(0, step),
  }[event.key];
  if (!act || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  act();
});
find("zoom-in").addEventListener("click", () => zoom(1.6));
find("zoom-out").addEventListener("click", () => zoom(1 / 1.6));
find("zoom-all").addEventListener("click", () => show(whole));
