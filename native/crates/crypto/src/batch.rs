//! Senders of many transactions at once.

use rayon::prelude::*;
use rhizome_primitives::B256;
use thiserror::Error;

use crate::recovery::recover_address;

/// Bytes per signature: hash 32 ∥ parity 1 ∥ r 32 ∥ s 32.
pub const RECORD_BYTES: usize = 97;

/// Bytes per result: ok 1 ∥ address 20.
pub const ANSWER_BYTES: usize = 21;

/// Minimum number of records per thread: each takes some 40 µs, so waking a thread for fewer would not pay.
const MIN_RECORDS_PER_TASK: usize = 4;

/// The buffer is not a whole number of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a batch of signatures has {RECORD_BYTES} bytes each, got {0} bytes")]
pub struct BatchLengthError(pub usize);

/// Recovers the signer of each record, spread over the cores. A result is 1 ∥ address, or 21 zero bytes where
/// [`recover_address`] returns None; a bad record does not affect the others.
pub fn recover_addresses(records: &[u8]) -> Result<Vec<u8>, BatchLengthError> {
    if !records.len().is_multiple_of(RECORD_BYTES) {
        return Err(BatchLengthError(records.len()));
    }
    let mut answers = vec![0; records.len() / RECORD_BYTES * ANSWER_BYTES];
    answers
        .par_chunks_exact_mut(ANSWER_BYTES)
        .zip(records.par_chunks_exact(RECORD_BYTES))
        .with_min_len(MIN_RECORDS_PER_TASK)
        .for_each(|(answer, record)| recover_record(record, answer));
    Ok(answers)
}

fn recover_record(record: &[u8], answer: &mut [u8]) {
    let (hash, r, s) = (&record[..32], &record[33..65], &record[65..]);
    let address = recover_address(&B256::from_slice(hash), record[32], &B256::from_slice(r), &B256::from_slice(s));
    if let Some(address) = address {
        answer[0] = 1;
        answer[1..].copy_from_slice(address.as_slice());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{address_of_private_key, keccak256, sign};

    #[test]
    fn a_batch_equals_single_recoveries_and_survives_bad_records() {
        let mut records = Vec::new();
        let mut expected = Vec::new();
        for n in 1..40u8 {
            let key = B256::repeat_byte(n);
            let hash = keccak256(&[n]);
            let signature = sign(&hash, &key).expect("a valid key");
            let bad = n % 5 == 0;
            records.extend_from_slice(hash.as_slice());
            records.push(if bad { 7 } else { signature.parity });
            records.extend_from_slice(signature.r.as_slice());
            records.extend_from_slice(signature.s.as_slice());
            if bad {
                expected.extend_from_slice(&[0; ANSWER_BYTES]);
            } else {
                expected.push(1);
                expected.extend_from_slice(address_of_private_key(&key).expect("a valid key").as_slice());
            }
        }
        assert_eq!(recover_addresses(&records), Ok(expected));
        assert_eq!(recover_addresses(&[]), Ok(Vec::new()));
        assert_eq!(recover_addresses(&records[1..]), Err(BatchLengthError(records.len() - 1)));
    }
}
