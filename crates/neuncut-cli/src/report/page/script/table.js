// ---- the table: which rows are there, in which order, and the one that is open
const body = find("clusters").tBodies[0];
const lines = all("tr[data-node]", body);
const FIRST = 25;
const sorting = { by: null, down: false };
let showAll = false;
let matching = new Set();

const textOf = data.nodes.map((node) =>
  [node.name, ...(node.words || []), ...(node.differs || []).map((one) => data.columns[one.column]),
    ...node.typical.concat(node.uncertain).map((at) => `${data.rows[at].text || ""} ${called(data.rows[at])} row ${data.rows[at].row}`)].join("\n").toLowerCase());
const findMatching = () => {
  const wanted = state.query.toLowerCase().split(/\s+/).filter(Boolean);
  matching = new Set(data.nodes.keys());
  for (const at of matching) if (!wanted.every((word) => textOf[at].includes(word))) matching.delete(at);
};
const order = {
  name: (a, b) => data.nodes[a].name.localeCompare(data.nodes[b].name, "en", { numeric: true }),
  size: (a, b) => data.nodes[a].size - data.nodes[b].size,
  confidence: (a, b) => data.nodes[a].confidence - data.nodes[b].confidence,
};
const paintTable = () => {
  all("tr.nn-detail", body).forEach((line) => line.remove());
  const sorted = lines.map((line) => Number(line.dataset.node));
  if (sorting.by) sorted.sort((a, b) => (sorting.down ? -1 : 1) * order[sorting.by](a, b) || a - b);
  const here = sorted.filter((at) => isShown(data.nodes[at]) && matching.has(at));
  const shown = new Set(showAll ? here : here.slice(0, FIRST));
  if (here.includes(state.chosen)) shown.add(state.chosen);
  const largest = Math.max(...here.map((at) => data.nodes[at].share), 1e-12);
  sorted.forEach((at) => {
    const line = lines[at];
    line.querySelector(".nn-size i").style.width = 100 * data.nodes[at].share / largest + "%";
    line.hidden = !shown.has(at);
    const open = at === state.chosen;
    line.querySelector("button").setAttribute("aria-expanded", String(open));
    body.append(line);
    if (open && !line.hidden) {
      body.append(make("tr", { class: "nn-detail" }, make("td", { colspan: String(line.children.length) }, ...detail(at, 12, false))));
    }
  });
  const left = here.length - shown.size;
  find("more").hidden = left <= 0;
  find("more").textContent = `Show all ${count(here.length)}`;
  find("found").textContent = state.query ? `${count(here.length)} found` : "";
};
all("button[data-sort]").forEach((button) => button.addEventListener("click", () => {
  const by = button.dataset.sort;
  sorting.down = sorting.by === by ? !sorting.down : by !== "name";
  sorting.by = by;
  all("#clusters th[aria-sort]").forEach((head) => head.setAttribute("aria-sort", "none"));
  button.parentElement.setAttribute("aria-sort", sorting.down ? "descending" : "ascending");
  paintTable();
}));
find("more").addEventListener("click", () => { showAll = true; paintTable(); });
lines.forEach((line, at) => line.addEventListener("click", (event) => {
  if (getSelection().isCollapsed || event.target.closest("button")) choose(state.chosen === at ? null : at);
}));
find("search").addEventListener("input", (event) => { state.query = event.target.value.trim(); paint(); });

// labels of the rows that the page is about, at the level that is shown
const asText = (text) => /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
find("download").addEventListener("click", (event) => {
  const { steps, cluster, confidence } = data.labels;
  const groups = [...new Set(owner)].sort((a, b) => data.nodes[a].members[0] - data.nodes[b].members[0]);
  const label = owner.map((at) => groups.indexOf(at));
  let row = steps.length ? 0 : -1;
  const lines = cluster.map((own, at) => {
    row += steps.length ? steps[at] : 1;
    return `${row},${label[own]},${asText(data.nodes[owner[own]].name)},${own},${(confidence[at] / 1000).toFixed(3)}`;
  });
  const csv = ["row,label,name,cluster,cluster_confidence", ...lines].join("\n") + "\n";
  event.currentTarget.href = URL.createObjectURL(new Blob([csv], { type: "text/csv" }));
});
