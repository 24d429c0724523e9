//! Signatures in DER and public keys.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhizome_bitcoin::PublicKey;
use rhizome_bitcoin::signature::{Signature, is_canonical};
use rhizome_primitives::B256;

fuzz_target!(|input: &[u8]| {
    let canonical = is_canonical(input);
    let signature = Signature::parse(input);
    assert!(!canonical || signature.is_ok(), "what is encoded strictly is read leniently");
    if let Ok(signature) = &signature {
        let written = signature.to_der();
        assert_eq!(Signature::parse(&written).as_ref(), Ok(signature));
        assert!(!canonical || written == input[..input.len() - 1]);
    }
    if let Ok(key) = PublicKey::parse(input) {
        assert_eq!(PublicKey::parse(key.as_bytes()), Ok(key.clone()));
        let _ = key.rsk_address();
        let _ = key.verify(&B256::ZERO, &Signature::new(&[1], &[1]));
    }
});
