//! Colours of clusters: 24 that can be told apart, for light and dark, and which cluster gets which.

use super::nesting::Nesting;
use std::fmt::Write;

/// How many there are; beyond them they come again, far apart on the map.
pub const COUNT: usize = 24;

/// Each next one is as far as possible from those before it (in the colour space Oklab, and as readers without green see it), so
/// that few clusters get the clearest colours.
const ON_LIGHT: [&str; COUNT] = [
    "#1f6fb4", "#d9622b", "#2a9d74", "#8a5fc0", "#c2447f", "#b98a10", "#3aa6c4", "#7a8a1e", "#8c5a3c", "#d63f3f",
    "#6b1667", "#04510e", "#0c33a0", "#de72d6", "#800902", "#b48c93", "#304e63", "#5588fb", "#047745", "#fc6983",
    "#643bb3", "#a5104b", "#804f7c", "#6b7f9b",
];
const ON_DARK: [&str; COUNT] = [
    "#5aa9f0", "#f58b52", "#45c796", "#b08cf0", "#ee78ad", "#e2b63c", "#63cbe6", "#b2c24a", "#c79a7c", "#f56f6f",
    "#51850e", "#fdc6f7", "#8d738e", "#8cf4c2", "#4e79d6", "#b06a26", "#3ea0a3", "#dae668", "#e2bfa9", "#ed9bf4",
    "#81995c", "#c4506f", "#b2a3c4", "#a468c7",
];

/// The style sheet of the colours: classes `k0`, `k1`, ... that set the colour of what they are on.
pub fn style() -> String {
    let list = |colours: &[&str]| {
        colours.iter().enumerate().fold(String::new(), |mut text, (at, colour)| {
            let _ = write!(text, ".k{at}{{color:{colour}}}");
            text
        })
    };
    format!("{}\n@media (prefers-color-scheme:dark){{{}}}\n", list(&ON_LIGHT), list(&ON_DARK))
}

/// The colour of every node. A node is coloured as the largest of its clusters, and no two of the same level up to 24 clusters
/// are alike; of further clusters each gets the colour whose others lie farthest from its place on the map.
pub fn of_nodes(nesting: &Nesting, sizes: &[usize], places: &[Option<[f32; 2]>]) -> Vec<usize> {
    let leads: Vec<usize> = nesting.nodes.iter().map(|node| lead(&node.members, sizes)).collect();
    let mut colours: Vec<Option<usize>> = vec![None; sizes.len()];
    for (next, cluster) in nesting.by_level(&leads).into_iter().enumerate() {
        let colour = if next < COUNT { next } else { farthest(cluster, &colours, places) };
        colours[cluster] = Some(colour);
    }
    leads.into_iter().map(|cluster| colours[cluster].expect("the levels have every cluster")).collect()
}

/// The largest of some clusters, the first of equals.
pub fn lead(members: &[usize], sizes: &[usize]) -> usize {
    members.iter().copied().max_by(|&a, &b| sizes[a].cmp(&sizes[b]).then(b.cmp(&a))).expect("a node has members")
}

fn farthest(cluster: usize, colours: &[Option<usize>], places: &[Option<[f32; 2]>]) -> usize {
    let Some([x, y]) = places[cluster] else { return cluster % COUNT };
    let mut nearest = [f32::INFINITY; COUNT];
    for (colour, place) in colours.iter().zip(places) {
        if let (Some(colour), Some(place)) = (colour, place) {
            let squared = (place[0] - x).powi(2) + (place[1] - y).powi(2);
            nearest[*colour] = nearest[*colour].min(squared);
        }
    }
    (0..COUNT).max_by(|&a, &b| nearest[a].total_cmp(&nearest[b]).then(b.cmp(&a))).expect("there are colours")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red, green and blue as amounts of light.
    fn light(colour: &str) -> [f64; 3] {
        [1, 3, 5].map(|at| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        })
    }

    /// A place in Oklab (Ottosson, 2020), where distances are about as large as they look.
    fn oklab(colour: &str) -> [f64; 3] {
        let times =
            |matrix: [[f64; 3]; 3], v: [f64; 3]| matrix.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
        let cones = [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ];
        let lab = [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ];
        times(lab, times(cones, light(colour)).map(f64::cbrt))
    }

    #[test]
    fn all_can_be_told_apart_and_seen() {
        let luminance = |colour| light(colour).iter().zip([0.2126, 0.7152, 0.0722]).map(|(v, w)| v * w).sum::<f64>();
        for (colours, back) in [(ON_LIGHT, "#ffffff"), (ON_DARK, "#14171a")] {
            for (at, a) in colours.iter().enumerate() {
                for b in &colours[..at] {
                    let distance = oklab(a).iter().zip(oklab(b)).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
                    assert!(distance > 0.07, "{a} and {b}: {distance}"); // about 0.02 is just noticeable
                }
                let (low, high) = (luminance(a).min(luminance(back)), luminance(a).max(luminance(back)));
                assert!((high + 0.05) / (low + 0.05) > 2.7, "{a} on {back}");
            }
        }
    }

    #[test]
    fn levels_of_few_clusters_have_no_colour_twice() {
        let k = 40_usize;
        let merges: Vec<(u32, u32)> = (1..k as u32).map(|cluster| (0, cluster)).collect();
        let nesting = Nesting::new(&merges, k);
        let sizes: Vec<usize> = (0..k).map(|cluster| 10 + cluster * 7 % 11).collect();
        let places: Vec<Option<[f32; 2]>> = (0..k).map(|cluster| Some([cluster as f32, 0.0])).collect();
        let colours = of_nodes(&nesting, &sizes, &places);
        for level in 1..=COUNT {
            let mut seen: Vec<usize> = nesting.at(level).map(|node| colours[node]).collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), level);
        }
        assert!((1..k).all(|cluster| colours[cluster] != colours[cluster - 1]), "neighbours differ: {colours:?}");
        let flat = of_nodes(&Nesting::new(&[], 3), &[1, 1, 1], &[None, None, None]);
        assert_eq!(flat, [0, 1, 2]);
    }
}
