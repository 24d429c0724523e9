import { crypto } from 'bitcoinjs-lib'
import { keccak256 } from '../../../src/native/crypto.ts'
import { p2shP2wshScript } from '../../../src/rehearsal/bitcoin/purse.ts'
import { keyPairOfSeed } from '../../../src/rehearsal/keyPair.ts'
import type { Sender } from './activities.ts'
import { countFlyOver } from './counts.ts'
import type { Outcome } from './driver.ts'
import { registerCoinbase, schedule } from './registrations.ts'
import { outputScript, p2shScript } from './scripts.ts'
import { below, bytes, type World } from './world.ts'

/** Version of a P2PKH address of regtest. */
const VERSION = 111
const DROP = 0x75

/** Pays an address that the federation shares with a contract, and has the contract register it (bridge.md §4.4). */
export async function flyOver(world: World, { purse }: Sender): Promise<void> {
  const { driver, proxies } = world
  const redeem = await driver.ask('getActivePowpegRedeemScript')
  if (typeof redeem !== 'string') return
  const redeemScript = Buffer.from(redeem.slice(2), 'hex')
  const refund = versioned(`btc-user${below(world, 30)}`)
  const provider = versioned('liquidity-provider')
  const contract = proxies.CALL
  const args = bytes(world, 32)
  const derivation = keccak256(Buffer.concat([args, refund, contract, provider]))
  const own = Buffer.concat([Buffer.from([derivation.length]), derivation, Buffer.from([DROP]), redeemScript])
  const federation = outputScript(String(await driver.ask('getFederationAddress')))
  const isSegwit = p2shP2wshScript(redeemScript).equals(federation)
  const script = isSegwit ? p2shP2wshScript(own) : p2shScript(own)
  const odd = world.random() < 0.1
  const value = odd ? 300_000n : BigInt(600_000 + below(world, 20_000_000))
  const transaction = purse.pay([{ script, value }])
  const done = (outcome: Outcome) => countFlyOver(world.counts, outcome)
  schedule(world, transaction.getId(), 'fly-over', done, async (_, id) => {
    const mined = world.bitcoin.find(id)
    if (mined.transaction.hasWitnesses()) await registerCoinbase(world, mined.block)
    const raw = Buffer.from(mined.transaction.toBuffer())
    const lbc = `0x${contract.toString('hex')}`
    const call = [raw, mined.block.height, mined.proof, args, refund, lbc, provider, world.random() < 0.5]
    const label = 'registerFastBridgeBtcTransaction by contract'
    const more = { to: contract, gasLimit: 600_000, label, done }
    const times = world.random() < 0.2 ? 2 : 1
    for (let time = 0; time < times; time += 1) {
      await driver.call(driver.account('stranger'), 'registerFastBridgeBtcTransaction', call, more)
    }
  })
}

function versioned(seed: string): Buffer {
  return Buffer.concat([Buffer.from([VERSION]), crypto.hash160(keyPairOfSeed(seed).publicKey)])
}
