//! A warning about raw rows for every method: one column has nearly all of the variance. It is called by its name.

use super::Outcome;
use crate::data::ColumnNames;
use crate::features::dominant_column;
use crate::methods::neural_cut::Warning;
use ndarray::ArrayView2;

/// Adds the warning, where it holds, to what the method warns of, or names the column in it.
pub(super) fn warn(outcome: &mut Outcome, rows: ArrayView2<f32>, names: &ColumnNames) {
    let Some((column, share)) = dominant_column(rows) else { return };
    let name = names.of(column - 1).unwrap_or_else(|| column.to_string());
    let Some(warning) = Warning::dominant_column(&name, share) else { return };
    if let Some(model) = &mut outcome.model {
        let warnings = &mut model.record.diagnostics.warnings;
        match warnings.iter_mut().find(|known| known.name == warning.name) {
            Some(known) => *known = warning,
            None => warnings.push(warning),
        }
    } else if let Some(graph) = &mut outcome.graph {
        graph.warnings.push(warning.to_string());
    } else {
        outcome.warnings.push(warning);
    }
}
