//! Points of the curves, as words in big-endian order.

use rhizome_primitives::hex;

/// Generator of G1 of bn128, and its double.
pub(crate) const BN128_G1: [u8; 64] = hex!(
    "00000000000000000000000000000000000000000000000000000000000000010000000000000000000000000000000000000000000000000000000000000002"
);
pub(crate) const BN128_DOUBLE: [u8; 64] = hex!(
    "030644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd315ed738c0e0a7c92e7845f96b2ae9c0a68a6a449e3538fc7ff3ebf7a5a18a2c4"
);
/// Generator of G2 of bn128, imaginary parts first.
pub(crate) const BN128_G2: [u8; 128] = hex!(
    "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c21800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa"
);
/// Generator of secp256k1, and its double.
pub(crate) const SECP256K1_G: [u8; 64] = hex!(
    "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
);
pub(crate) const SECP256K1_DOUBLE: [u8; 64] = hex!(
    "c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee51ae168fea63dc339a3c58419466ceaeef7f632653266d0e1236431a950cfe52a"
);
