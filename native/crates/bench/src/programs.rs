//! The measured programs: compiled contracts and calls of them.

use std::error::Error;
use std::path::Path;

use rhizome_primitives::{Bytes, U256, hex};
use serde_json::Value;

/// A contract, its cells, and calls that are made one after the other.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) code: Bytes,
    pub(crate) cells: Vec<(U256, U256)>,
    pub(crate) calls: Vec<Bytes>,
    /// True when it matters where the state is stored.
    pub(crate) reads_state: bool,
}

/// Token transfers in one run.
const TRANSFERS: u64 = 200;
/// Slot of `totalSupply`, and of the mapping `balanceOf`, in the token.
const BALANCES_SLOT: u64 = 3;

/// Every program.
pub(crate) fn all(caller: [u8; 20]) -> Result<Vec<Program>, Box<dyn Error>> {
    let compute = code("Compute")?;
    let program = |name, signature: &str, args: &[u64]| Program {
        name,
        code: compute.clone(),
        cells: Vec::new(),
        calls: vec![call(signature, args.iter().map(|arg| U256::from(*arg)))],
        reads_state: false,
    };
    let supply = U256::from(10u64).pow(U256::from(30u64));
    let transfer = |index: u64| call("transfer(address,uint256)", [U256::from(0x1000 + index), U256::from(1000)]);
    Ok(vec![
        program("keccak of 64 bytes, 5,400 rounds", "hash(uint256)", &[5_400]),
        program("256-bit arithmetic, 10,000 rounds", "arithmetic(uint256)", &[10_000]),
        program("memory copies of 1 KiB, 5,000 rounds", "copy(uint256,uint256)", &[5_000, 1_024]),
        Program { reads_state: true, ..program("fresh cells, 250", "store(uint256,uint256,uint256)", &[0, 250, 1]) },
        program("logs, 2,000", "log(uint256)", &[2_000]),
        Program {
            name: "token transfers, 200 transactions",
            code: code("Token")?,
            cells: vec![(balance_slot(caller), supply)],
            calls: (0..TRANSFERS).map(transfer).collect(),
            reads_state: true,
        },
    ])
}

/// Slot of an account's balance in the token.
fn balance_slot(owner: [u8; 20]) -> U256 {
    let mut preimage = [0; 64];
    preimage[12..32].copy_from_slice(&owner);
    preimage[56..].copy_from_slice(&BALANCES_SLOT.to_be_bytes());
    U256::from_be_bytes(revm::primitives::keccak256(preimage).0)
}

fn call(signature: &str, args: impl IntoIterator<Item = U256>) -> Bytes {
    let mut data = revm::primitives::keccak256(signature)[..4].to_vec();
    for arg in args {
        data.extend_from_slice(&arg.to_be_bytes::<32>());
    }
    data.into()
}

/// Deployed code of a contract of `test/contracts`.
fn code(contract: &str) -> Result<Bytes, Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../../test/contracts/{contract}.json"));
    let artefact: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let text = artefact["deployedBytecode"].as_str().ok_or("no deployedBytecode")?;
    Ok(hex::decode(text)?.into())
}
