import { address, crypto, networks, opcodes, script } from 'bitcoinjs-lib'

/** The P2PKH address of a key on regtest. */
export function addressOf(publicKey: Uint8Array): string {
  return address.toBase58Check(Buffer.from(crypto.hash160(publicKey)), networks.regtest.pubKeyHash)
}

/** The output script for the hash of a script. */
export function p2shScript(redeemScript: Uint8Array): Buffer {
  const { OP_HASH160, OP_EQUAL } = opcodes
  return Buffer.from(script.compile([OP_HASH160, crypto.hash160(redeemScript), OP_EQUAL]))
}

/** The output script of an address of regtest. */
export function outputScript(base58: string): Buffer {
  return Buffer.from(address.toOutputScript(base58, networks.regtest))
}
