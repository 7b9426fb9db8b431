// ---- the tree: coloured by the level, with its groups named
const tree = find("tree");
const branches = tree ? all("path[data-node]", tree) : [];
const ROOM = 15;
const paintTree = () => {
  if (!tree) return;
  branches.forEach((branch) => {
    const node = data.nodes[branch.dataset.node];
    const at = owner[node.members[0]];
    const within = node.from >= data.nodes[at].from;
    branch.setAttribute("class", within ? `k${data.nodes[at].colour}` + (isOff(at) ? " nn-off" : "") : "nn-stem");
  });
  const top = Number(find("leaves").style.height.replace("px", ""));
  const x = 1000 * (data.stops.indexOf(state.level) + 1) / data.stops.length - 3; // left of the merges that are still to come
  find("cut").setAttribute("d", `M${x} 0V${top}`);
  const shown = branches.filter((branch) => isShown(data.nodes[branch.dataset.node]));
  shown.sort((a, b) => data.nodes[b.dataset.node].size - data.nodes[a.dataset.node].size);
  const taken = [];
  const names = [];
  for (const branch of shown) {
    const y = Number(branch.dataset.y);
    if (taken.some((other) => Math.abs(other - y) < ROOM)) continue;
    taken.push(y);
    const node = data.nodes[branch.dataset.node];
    const name = make("button", { class: `k${node.colour}` }, make("i", { class: "nn-dot" }), make("span", {}, titleOf(Number(branch.dataset.node))));
    name.style.top = y + "px";
    name.addEventListener("click", () => choose(Number(branch.dataset.node)));
    names.push([y, name]);
  }
  find("leaves").replaceChildren(...names.sort((a, b) => a[0] - b[0]).map((name) => name[1]));
};
// levels below the tree, the finest first, where there is room
const placeTicks = () => {
  let left = Infinity;
  for (const tick of all(".nn-ticks span").reverse()) {
    tick.hidden = false;
    const box = tick.getBoundingClientRect();
    tick.hidden = box.right + 4 > left;
    if (!tick.hidden) left = box.left;
  }
};
if (tree) {
  tree.addEventListener("click", (event) => {
    const box = tree.getBoundingClientRect();
    const at = Math.round((event.clientX - box.left) / box.width * data.stops.length) - 1;
    setStop(Math.max(0, Math.min(data.stops.length - 1, at)));
  });
}
