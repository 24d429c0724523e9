//! The storage maps of struct logs. The reference keeps them in hash maps keyed by the hex string of the slot and
//! writes them in bucket order. This map has the same order, so that answers are equal byte by byte.

use rhizome_primitives::U256;

use super::json::JsonWriter;

/// Buckets of a map that starts empty.
const MIN_BUCKETS: usize = 16;
/// Characters of one member: two quoted words and a colon.
const MEMBER: usize = 2 * (64 + 2) + 1;

#[derive(Clone, Debug)]
struct Member {
    hash: u32,
    slot: U256,
    value: U256,
}

/// Slots and their words in bucket order.
#[derive(Clone, Debug)]
pub(crate) struct StorageMap {
    buckets: usize,
    members: Vec<Member>,
}

impl StorageMap {
    pub(crate) fn new() -> Self {
        Self { buckets: MIN_BUCKETS, members: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// A copy has the number of buckets that fits its size, whatever the original grew to.
    pub(crate) fn copy(&self) -> Self {
        let mut copy = self.clone();
        if !copy.members.is_empty() {
            // Size divided by the load factor of 3/4, plus one, rounded down.
            copy.buckets = (copy.members.len() * 4 / 3 + 1).next_power_of_two();
            copy.arrange();
        }
        copy
    }

    pub(crate) fn put(&mut self, slot: U256, value: U256) {
        if let Some(member) = self.members.iter_mut().find(|member| member.slot == slot) {
            member.value = value;
            return;
        }
        let hash = spread_hash(&slot);
        let bucket = self.bucket(hash);
        let index = self.members.partition_point(|member| self.bucket(member.hash) <= bucket);
        self.members.insert(index, Member { hash, slot, value });
        if self.members.len() > self.buckets / 4 * 3 {
            self.buckets *= 2;
            self.arrange();
        }
    }

    pub(crate) fn remove(&mut self, slot: &U256) {
        self.members.retain(|member| member.slot != *slot);
    }

    /// Number of characters that [`write`](Self::write) writes.
    pub(crate) fn json_len(&self) -> usize {
        2 + self.members.len() * MEMBER + self.members.len().saturating_sub(1)
    }

    /// Writes the map as an object of 64-digit words.
    pub(crate) fn write(&self, json: &mut JsonWriter) {
        json.raw("{");
        let mut first = true;
        for member in &self.members {
            json.separate(&mut first);
            json.word(&member.slot);
            json.raw(":");
            json.word(&member.value);
        }
        json.raw("}");
    }

    fn bucket(&self, hash: u32) -> usize {
        hash as usize & (self.buckets - 1)
    }

    fn arrange(&mut self) {
        let mask = self.buckets - 1;
        self.members.sort_by_key(|member| member.hash as usize & mask);
    }
}

/// Hash of the slot's 64 hex digits as a Java string, with its upper half folded in.
fn spread_hash(slot: &U256) -> u32 {
    let mut hash = 0_u32;
    for byte in slot.to_be_bytes::<32>() {
        for nibble in [byte >> 4, byte & 15] {
            let digit = if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 };
            hash = hash.wrapping_mul(31).wrapping_add(u32::from(digit));
        }
    }
    hash ^ (hash >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_the_length_foretold() {
        let mut map = StorageMap::new();
        for slot in 0..40_u64 {
            let mut json = JsonWriter::default();
            map.write(&mut json);
            assert_eq!(json.len(), map.json_len());
            map.put(U256::from(slot), U256::from(slot * 7));
        }
        map.put(U256::from(3), U256::ZERO);
        assert_eq!(map.len(), 40);
        map.remove(&U256::from(3));
        assert_eq!(map.copy().len(), 39);
    }

    #[test]
    fn hashes_as_java_strings() {
        // "0" repeated 64 times: 48 * (31^64 - 1) / 30 modulo 2^32.
        let sum = (0..64).fold(0_u32, |hash, _| hash.wrapping_mul(31).wrapping_add(48));
        assert_eq!(spread_hash(&U256::ZERO), sum ^ (sum >> 16));
    }
}
