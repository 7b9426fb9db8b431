// ---- what the page holds, and small helpers
const data = JSON.parse(document.getElementById("data").textContent);
const find = (id) => document.getElementById(id);
const all = (query, within = document) => [...within.querySelectorAll(query)];
const make = (name, attributes, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  element.append(...children);
  return element;
};
const dark = matchMedia("(prefers-color-scheme: dark)");
const state = { level: data.clusters, colour: "cluster", chosen: null, query: "" };

// a name may be broken behind underscores
const breakable = (text) => text.split(/(?<=_)/).flatMap((part, at) => at ? [make("wbr"), part] : [part]);
const percent = (share) => {
  const hundred = 100 * share;
  return hundred.toFixed(hundred >= 9.95 && hundred < 99 || hundred === 0 || hundred >= 99.95 ? 0 : 1) + "%";
};
const count = (number) => number.toLocaleString("en");
const number = (value) => String(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))).replace("-", "\u2212");
const signed = (value) => (value < 0 ? "" : "+") + number(value);

// the nodes of the level that is shown, and which of them each cluster is in
const isShown = (node) => node.from <= state.level && state.level <= node.to;
let owner = [];
const findOwners = () => data.nodes.forEach((node, at) => {
  if (isShown(node)) node.members.forEach((cluster) => { owner[cluster] = at; });
});
const isUnnamed = (node) => /^[\d, +]+$/.test(node.name);
const titleOf = (at) => {
  const node = data.nodes[at];
  return isUnnamed(node) ? (node.members.length > 1 ? "Clusters " : "Cluster ") + node.name : node.name;
};
