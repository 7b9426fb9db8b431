use super::*;
use crate::testing::{Dir, read_all, spec};
use crate::{TableSpec, read_labels};
use ndarray::{Array2, array};

const WITH_MEMBERSHIPS: Columns = Columns::LabelsAndMemberships { n_clusters: 2 };

fn memberships() -> Array2<f32> {
    array![[0.25, 0.75], [1.0, 1e-30]]
}

#[test]
fn labels_come_back_from_every_format() {
    let dir = Dir::new();
    for name in ["a.npy", "a.csv", "a.tsv", "a.txt", "a.parquet", "a.arrow", "a.feather"] {
        let path = dir.path(name);
        let mut writer = create(&path, Columns::Labels).unwrap();
        writer.write(&[3, 0], None).unwrap();
        writer.write(&[-1], None).unwrap();
        assert!(!Path::new(&path).exists(), "{name}");
        writer.finish().unwrap();
        assert_eq!(read_labels(&path, None).unwrap(), ["3", "0", "-1"], "{name}");
    }
    assert_eq!(dir.names().len(), 7);
}

#[test]
fn memberships_come_back_from_every_format() {
    let dir = Dir::new();
    for name in ["a.npy", "a.csv", "a.tsv", "a.parquet", "a.arrow"] {
        let path = dir.path(name);
        let mut writer = create(&path, WITH_MEMBERSHIPS).unwrap();
        writer.write(&[1, 0], Some(memberships().view())).unwrap();
        writer.finish().unwrap();
        let label_column = (name != "a.npy").then(|| "label".to_owned());
        let read = read_all(&TableSpec { label_column, ..spec(&path) }).unwrap();
        assert_eq!(read, (2, vec![0.25, 0.75, 1.0, 1e-30]), "{name}");
        if name != "a.npy" {
            assert_eq!(read_labels(&path, None).unwrap(), ["1", "0"], "{name}");
        }
    }
    assert_eq!(std::fs::read_to_string(dir.path("a.csv")).unwrap(), "label,p0,p1\n1,0.25,0.75\n0,1,1e-30\n");
}

#[test]
fn matrices_come_back_from_every_format() {
    let dir = Dir::new();
    let rows = Array2::from_shape_fn((3000, 7), |(row, column)| (row as f32).sin() * column as f32);
    for name in ["a.npy", "a.csv", "a.parquet", "a.arrow"] {
        let path = dir.path(name);
        let mut writer = create_matrix(&path, 7).unwrap();
        for chunk in rows.axis_chunks_iter(ndarray::Axis(0), 1000) {
            writer.write(chunk).unwrap();
        }
        writer.finish().unwrap();
        assert_eq!(read_all(&spec(&path)).unwrap(), (7, rows.iter().copied().collect()), "{name}");
    }
    assert!(std::fs::read_to_string(dir.path("a.csv")).unwrap().starts_with("x1,x2,x3,"));
}

#[test]
fn columns_of_a_view_are_written_as_rows() {
    let dir = Dir::new();
    for name in ["a.npy", "a.parquet"] {
        let mut writer = create_matrix(&dir.path(name), 2).unwrap();
        writer.write(array![[1.0, 2.0], [3.0, 4.0]].t()).unwrap();
        writer.finish().unwrap();
        assert_eq!(read_all(&spec(&dir.path(name))).unwrap().1, [1.0, 3.0, 2.0, 4.0]);
    }
}

#[test]
fn an_empty_output_is_a_file_without_rows() {
    let dir = Dir::new();
    for name in ["a.npy", "a.csv", "a.parquet", "a.arrow"] {
        create(&dir.path(name), Columns::Labels).unwrap().finish().unwrap();
        let message = read_labels(dir.path(name), None).unwrap_err().to_string();
        assert!(message.contains("there are no labels"), "{name}: {message}");
    }
}

#[test]
fn dropped_unfinished_leaves_the_target_as_it_was() {
    let dir = Dir::new();
    for name in ["a.npy", "a.csv", "a.parquet", "a.arrow"] {
        let path = dir.file(name, "old");
        let mut writer = create(&path, Columns::Labels).unwrap();
        writer.write(&[1, 2], None).unwrap();
        drop(writer);
        assert_eq!(std::fs::read(&path).unwrap(), b"old", "{name}");
    }
    assert_eq!(dir.names().len(), 4);
}

#[test]
fn impossible_targets_are_refused_before_any_work() {
    let dir = Dir::new();
    let message = |name: &str| create(&dir.path(name), Columns::Labels).err().unwrap().to_string();
    assert!(message("a.xlsx").contains("end it in one of .npy, .csv"));
    assert!(message("a.idx").contains("end it in one of"));
    assert!(message("no/a.csv").contains("does not exist; create it first"));
    assert!(dir.names().is_empty());
}

#[test]
fn chunks_must_be_what_was_announced() {
    let dir = Dir::new();
    let mut writer = create(&dir.path("a.csv"), WITH_MEMBERSHIPS).unwrap();
    assert!(writer.write(&[1], None).is_err());
    assert!(writer.write(&[1], Some(memberships().view())).is_err());
    let mut writer = create_matrix(&dir.path("a.npy"), 3).unwrap();
    assert!(writer.write(memberships().view()).unwrap_err().to_string().contains("has 2 columns, but 3 are expected"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_reported_and_devices_survive() {
    let dir = Dir::new();
    for name in ["a.csv", "a.parquet", "a.arrow"] {
        std::os::unix::fs::symlink("/dev/full", dir.path(name)).unwrap();
        let result = create(&dir.path(name), Columns::Labels).and_then(|mut writer| {
            writer.write(&[1; 100_000], None)?;
            writer.finish()
        });
        let message = result.unwrap_err().to_string();
        assert!(message.contains("No space left on device"), "{name}: {message}");
    }
    std::os::unix::fs::symlink("/dev/full", dir.path("a.npy")).unwrap();
    let message = create(&dir.path("a.npy"), Columns::Labels).err().unwrap().to_string();
    assert!(message.contains("npy cannot be written to a device"), "{message}");
    let mut null = create("/dev/null", Columns::Labels).unwrap();
    null.write(&[1], None).unwrap();
    null.finish().unwrap();
}

#[test]
fn a_broken_pipe_can_be_told() {
    let broken = Error::io("write", "-")(io::ErrorKind::BrokenPipe.into());
    let full = Error::io("write", "-")(io::ErrorKind::StorageFull.into());
    assert!(broken.is_broken_pipe() && !full.is_broken_pipe());
}
