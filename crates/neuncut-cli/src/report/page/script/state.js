// ---- the level, the chosen cluster, and everything that follows from them
const LISTED = 12;
const paintChosen = () => {
  const aside = find("chosen");
  if (state.chosen === null) {
    const nodes = [...data.nodes.keys()].filter((at) => isShown(data.nodes[at]) && matching.has(at));
    nodes.sort((a, b) => data.nodes[b].size - data.nodes[a].size || a - b);
    const entry = (at) => {
      const node = data.nodes[at];
      const dot = make("i", { class: "nn-dot" });
      dot.style.color = modes[state.colour].node(node);
      const button = make("button", {}, dot, make("span", {}, ...breakable(titleOf(at))), make("small", {}, percent(node.share)));
      button.addEventListener("click", () => choose(at));
      return make("li", { class: `k${node.colour}` }, button);
    };
    const more = nodes.length > LISTED ? [make("p", {}, `and ${count(nodes.length - LISTED)} more in the table below`)] : [];
    if (!nodes.length) return aside.replaceChildren(make("p", {}, `No cluster has \u201c${state.query}\u201d in its name, words or rows shown.`));
    aside.replaceChildren(make("h3", {}, nodes.length > LISTED ? "Largest clusters" : "Clusters"),
      make("ul", { class: "nn-list" }, ...nodes.slice(0, LISTED).map(entry)), ...more);
    return;
  }
  const node = data.nodes[state.chosen];
  const back = make("button", { class: "nn-quiet" }, "\u2190 all clusters");
  back.addEventListener("click", () => choose(null));
  const title = make("h3", { class: `k${node.colour}` }, make("i", { class: "nn-dot" }), make("span", {}, titleOf(state.chosen)));
  aside.replaceChildren(back, title, make("p", {}, facts(node)), ...detail(state.chosen, data.sprite ? 8 : 4, true));
};
const paint = () => {
  findOwners();
  findMatching();
  findCentres();
  paintMap();
  paintTable();
  paintTree();
  paintChosen();
};
const choose = (at) => { state.chosen = at; paint(); };
const slider = find("level");
const setStop = (stop) => {
  state.level = data.stops[stop];
  if (state.chosen !== null && !isShown(data.nodes[state.chosen])) state.chosen = null;
  slider.value = stop;
  const words = state.level === 1 ? "1 cluster" : `${count(state.level)} clusters`;
  slider.setAttribute("aria-valuetext", words);
  find("level-text").textContent = words;
  paint();
};
if (slider) {
  slider.addEventListener("input", () => setStop(Number(slider.value)));
  setStop(data.stops.length - 1);
}
find("colour").addEventListener("change", (event) => { state.colour = event.target.value; paintMap(); paintChosen(); });
all("a[data-choose]").forEach((link) => link.addEventListener("click", () => {
  if (slider) setStop(data.stops.length - 1);
  choose(Number(link.dataset.choose));
}));
dark.addEventListener("change", paintMap);
addEventListener("resize", () => { placeNames(); placeTicks(); });
show(whole);
paint();
placeTicks();
document.documentElement.dataset.ready = "yes";
