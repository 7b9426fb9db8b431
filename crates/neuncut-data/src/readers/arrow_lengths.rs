//! The lengths that an Arrow file claims, checked against the file before arrow allocates them: a damaged length would otherwise end
//! the program, for memory that cannot be had is not an error that can be caught.

use arrow_ipc::{Block, Message, root_as_footer, root_as_message};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

/// Marks the length of a message since version 0.15 of the format.
const CONTINUATION: u32 = u32::MAX;
/// The footer's length and the closing magic.
const TRAILER: u64 = 10;

/// How much larger than in the file a buffer may be, and by how much any may be: what a file claims beyond that is no data.
const MOST_UNPACKED: i64 = 1024;
const ALWAYS_UNPACKED: i64 = 64 << 20;

/// The most that so many bytes may unpack to.
pub(super) fn most_unpacked(packed: i64) -> i64 {
    ALWAYS_UNPACKED.saturating_add(packed.saturating_mul(MOST_UNPACKED))
}

/// Whether every block that the footer of a file names lies inside the file, and unpacks to a size that can be.
pub(super) fn file_is_sound(file: &mut BufReader<File>) -> std::io::Result<bool> {
    let size = file.seek(SeekFrom::End(0))?;
    if size < TRAILER {
        return Ok(false);
    }
    file.seek(SeekFrom::Start(size - TRAILER))?;
    let length = u64::from(read_u32(file)?);
    if length > size - TRAILER {
        return Ok(false);
    }
    file.seek(SeekFrom::Start(size - TRAILER - length))?;
    let mut bytes = vec![0; length as usize];
    file.read_exact(&mut bytes)?;
    let Ok(footer) = root_as_footer(&bytes) else { return Ok(false) };
    let inside = |block: &Block| {
        let parts = [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()];
        parts.iter().all(|&part| part >= 0 && part as u64 <= size) && parts.iter().sum::<i64>() as u64 <= size
    };
    let blocks = [footer.dictionaries(), footer.recordBatches()];
    for block in blocks.iter().flatten().flat_map(|blocks| blocks.iter()) {
        if !inside(block) || !block_is_sound(file, block)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn block_is_sound(file: &mut BufReader<File>, block: &Block) -> std::io::Result<bool> {
    let (start, length) = (block.offset() as u64, block.metaDataLength() as usize);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = vec![0; length];
    file.read_exact(&mut bytes)?;
    // the message is behind its length, which since version 0.15 is behind a mark
    let Some(message) = bytes.get(if bytes.starts_with(&[0xff; 4]) { 8.. } else { 4.. }) else { return Ok(false) };
    let Ok(message) = root_as_message(message) else { return Ok(false) };
    body_is_sound(file, &message, start + length as u64, block.bodyLength())
}

/// Whether the compressed buffers of a message claim sizes that can be.
fn body_is_sound(file: &mut BufReader<File>, message: &Message, start: u64, length: i64) -> std::io::Result<bool> {
    let batch = message.header_as_record_batch().or_else(|| message.header_as_dictionary_batch()?.data());
    let Some(batch) = batch.filter(|batch| batch.compression().is_some()) else { return Ok(true) };
    for buffer in batch.buffers().iter().flatten().filter(|buffer| buffer.length() != 0) {
        let (at, packed) = (buffer.offset(), buffer.length());
        if at < 0 || packed < 8 || at.checked_add(packed).is_none_or(|end| end > length) {
            return Ok(false);
        }
        file.seek(SeekFrom::Start(start + at as u64))?;
        let mut unpacked = [0; 8];
        file.read_exact(&mut unpacked)?;
        // -1 says that the buffer is not compressed
        let unpacked = i64::from_le_bytes(unpacked);
        if unpacked < -1 || unpacked > most_unpacked(packed) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether every message of a stream lies inside the file.
pub(super) fn stream_is_sound(file: &mut BufReader<File>) -> std::io::Result<bool> {
    let size = file.seek(SeekFrom::End(0))?;
    let mut at = 0;
    while at + 4 <= size {
        file.seek(SeekFrom::Start(at))?;
        let mut length = u64::from(read_u32(file)?);
        at += 4;
        if length == u64::from(CONTINUATION) {
            if at + 4 > size {
                return Ok(false);
            }
            length = u64::from(read_u32(file)?);
            at += 4;
        }
        if length == 0 {
            return Ok(true); // the end of the stream
        }
        if length > size - at {
            return Ok(false);
        }
        let mut bytes = vec![0; length as usize];
        file.read_exact(&mut bytes)?;
        let Ok(message) = root_as_message(&bytes) else { return Ok(false) };
        let body = message.bodyLength();
        if body < 0 || body as u64 > size - at - length {
            return Ok(false);
        }
        at += length;
        if !body_is_sound(file, &message, at, body)? {
            return Ok(false);
        }
        at += body as u64;
    }
    Ok(true)
}

fn read_u32(file: &mut BufReader<File>) -> std::io::Result<u32> {
    let mut bytes = [0; 4];
    file.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}
