//! Mean and deviation over seeds.

use serde::Serialize;

/// Mean and deviation, which one value does not have.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    pub mean: f64,
    pub deviation: Option<f64>,
}

impl Spread {
    /// None where there is no value.
    pub fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let values: Vec<f64> = values.collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        (n > 0.0).then(|| Self { mean, deviation: (n > 1.0).then(|| (squares / (n - 1.0)).sqrt()) })
    }

    /// Both, with so many digits.
    pub fn text(self, digits: usize) -> String {
        let deviation = self.deviation.map(|deviation| format!(" ± {deviation:.digits$}")).unwrap_or_default();
        format!("{:.digits$}{deviation}", self.mean)
    }
}
