//! The secp256k1 context, made once.

use std::sync::LazyLock;

use secp256k1::{All, Secp256k1};

pub(crate) static CONTEXT: LazyLock<Secp256k1<All>> = LazyLock::new(Secp256k1::new);
