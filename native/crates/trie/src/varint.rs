//! Bitcoin's variable-length integer (consensus.md §0.4).

use smallvec::{Array, SmallVec};

/// Appends the shortest form.
pub(crate) fn write(out: &mut SmallVec<impl Array<Item = u8>>, value: u64) {
    match value {
        0..0xfd => out.push(value as u8),
        0xfd..=0xffff => {
            out.push(0xfd);
            out.extend_from_slice(&(value as u16).to_le_bytes());
        }
        0x1_0000..=0xffff_ffff => {
            out.push(0xfe);
            out.extend_from_slice(&(value as u32).to_le_bytes());
        }
        _ => {
            out.push(0xff);
            out.extend_from_slice(&value.to_le_bytes());
        }
    }
}

/// Reads a value from the front of `input`; None when it is truncated. Forms longer than necessary are accepted.
pub(crate) fn read(input: &mut &[u8]) -> Option<u64> {
    let (&first, rest) = input.split_first()?;
    let size = match first {
        0xfd => 2,
        0xfe => 4,
        0xff => 8,
        _ => {
            *input = rest;
            return Some(u64::from(first));
        }
    };
    let (bytes, rest) = rest.split_at_checked(size)?;
    let mut value = [0; 8];
    value[..size].copy_from_slice(bytes);
    *input = rest;
    Some(u64::from_le_bytes(value))
}

#[cfg(test)]
mod tests {
    #[test]
    fn round_trips_at_the_borders() {
        for (value, length) in [(0, 1), (252, 1), (253, 3), (65535, 3), (65536, 5), (0xffff_ffff, 5), (1 << 32, 9)] {
            let mut bytes = smallvec::SmallVec::<[u8; 9]>::new();
            super::write(&mut bytes, value);
            assert_eq!(bytes.len(), length);
            assert_eq!(super::read(&mut &bytes[..]), Some(value));
            assert_eq!(super::read(&mut &bytes[..length - 1]), None);
        }
    }
}
