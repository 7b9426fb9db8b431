//! The file of an encoder: part of a model where it is small, else a name and a hash by which it is known again.

use super::EncoderSpec;
use crate::data::content_hash;
use crate::{Error, Result};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

/// Files up to this size become part of a model unless told otherwise.
const SMALL: usize = 32 << 20;

/// The file of an encoder.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EncoderFile {
    /// A hash of its bytes.
    pub hash: u64,
    /// Where the bytes are.
    pub place: Place,
}

/// Where the bytes of an encoder are.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Place {
    /// In the model.
    Model(Arc<[u8]>),
    /// In their own file.
    Beside,
}

impl EncoderFile {
    /// Reads the file that a chain names, and decides where it will be.
    pub(super) fn read(spec: &EncoderSpec) -> Result<(Self, Arc<[u8]>)> {
        let path = Path::new(&spec.path);
        let bytes: Arc<[u8]> = std::fs::read(path).map_err(Error::io("read", path))?.into();
        let embed = spec.embed.unwrap_or(bytes.len() <= SMALL);
        let place = if embed { Place::Model(bytes.clone()) } else { Place::Beside };
        Ok((Self { hash: content_hash(&bytes), place }, bytes))
    }

    /// The bytes, for a model that was read from `model`: its own, or those of the file under its name or beside the model.
    ///
    /// # Errors
    /// When there is no such file, or it is another one.
    pub(crate) fn bytes(&self, spec: &EncoderSpec, model: &Path) -> Result<Cow<'_, [u8]>> {
        match &self.place {
            Place::Model(bytes) if content_hash(bytes) == self.hash => Ok(Cow::Borrowed(bytes)),
            Place::Model(_) => {
                let problem = format!("holds the encoder {} damaged: fit the model again", spec.path);
                Err(Error::model(model, problem))
            }
            Place::Beside => self.find(spec, model).map(Cow::Owned),
        }
    }

    /// The file whose hash is the right one, among the two that it may be.
    fn find(&self, spec: &EncoderSpec, model: &Path) -> Result<Vec<u8>> {
        let path = Path::new(&spec.path);
        let beside = path.file_name().map(|name| model.with_file_name(name));
        let mut other = None;
        for path in std::iter::once(path.to_path_buf()).chain(beside).filter(|path| path.is_file()) {
            let bytes = std::fs::read(&path).map_err(Error::io("read", &path))?;
            match content_hash(&bytes) {
                hash if hash == self.hash => return Ok(bytes),
                hash => other = other.or(Some((path, hash))),
            }
        }
        let wanted = self.hash;
        let problem = match other {
            Some((found, hash)) => format!(
                "was fitted with another encoder than {} is now (its hash is {hash:016x}, not {wanted:016x}): give the file of then, or fit again",
                found.display()
            ),
            None => format!(
                "needs its encoder {} (hash {wanted:016x}), which is not there: put it there, or beside the model",
                spec.path
            ),
        };
        Err(Error::model(model, problem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_again_by_its_hash_at_its_place_or_beside_the_model() {
        let folder = tempfile::tempdir().unwrap();
        let (there, model) = (folder.path().join("net.onnx"), folder.path().join("models/m.safetensors"));
        std::fs::create_dir(folder.path().join("models")).unwrap();
        std::fs::write(&there, b"weights").unwrap();
        let spec = EncoderSpec { embed: Some(false), ..EncoderSpec::of(there.to_str().unwrap()) };
        let (file, bytes) = EncoderFile::read(&spec).unwrap();
        assert_eq!((&bytes[..], &file.place), (&b"weights"[..], &Place::Beside));
        assert_eq!(file.bytes(&spec, &model).unwrap(), &b"weights"[..]);
        std::fs::write(&there, b"others").unwrap();
        let refused = file.bytes(&spec, &model).unwrap_err().to_string();
        assert!(refused.contains("m.safetensors: was fitted with another encoder"), "{refused}");
        std::fs::write(folder.path().join("models/net.onnx"), b"weights").unwrap();
        assert_eq!(file.bytes(&spec, &model).unwrap(), &b"weights"[..], "beside the model it is the right one");
        std::fs::remove_file(folder.path().join("models/net.onnx")).unwrap();
        std::fs::remove_file(&there).unwrap();
        let refused = file.bytes(&spec, &model).unwrap_err().to_string();
        assert!(refused.contains("which is not there: put it there, or beside the model"), "{refused}");
    }

    #[test]
    fn small_files_are_part_of_the_model_and_must_be_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("net.onnx");
        std::fs::write(&path, b"weights").unwrap();
        let spec = EncoderSpec::of(path.to_str().unwrap());
        let (file, bytes) = EncoderFile::read(&spec).unwrap();
        assert_eq!(file.place, Place::Model(bytes));
        let damaged = EncoderFile { place: Place::Model(b"weight".as_slice().into()), ..file };
        assert!(damaged.bytes(&spec, Path::new("m")).unwrap_err().to_string().contains("damaged: fit the model again"));
    }
}
