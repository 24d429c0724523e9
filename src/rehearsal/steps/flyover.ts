import { address as bitcoinAddress } from 'bitcoinjs-lib'
import { keccak256 } from '../../native/crypto.ts'
import { fromHex, toHex } from '../../util/bytes.ts'
import { p2pkhPurse, p2shP2wshScript } from '../bitcoin/purse.ts'
import { confirm } from '../bitcoinRelay.ts'
import { RehearsalError } from '../errors.ts'
import { keyPairOfSeed } from '../keyPair.ts'
import { formatBitcoin, formatRbtc, type StepReport } from '../report.ts'
import { encodeCall, numberAt } from '../rootstock/abi.ts'
import { addressOfScript } from '../rootstock/bridgeContract.ts'
import type { Scene } from '../scene.ts'

const METHOD = 'registerFastBridgeBtcTransaction(bytes,uint256,bytes,bytes32,bytes,address,bytes,bool)'
const DEPOSIT = 50_000_000n
const ALLOWANCE = 100_000_000n
const WEI_PER_SATOSHI = 10_000_000_000n
const PUSH_32 = 0x20
const OP_DROP = 0x75

/**
 * A contract that forwards call data and value to the Bridge and logs the returned word. It reverts when the
 * Bridge throws. Behind the 11 bytes that return the rest:
 *
 * CALLDATACOPY(0, 0, CALLDATASIZE); CALL(GAS, 0x01000006, CALLVALUE, 0, CALLDATASIZE, 0, 32); if it is 0, go
 * to 31; LOG0(0, 32); STOP; 31: JUMPDEST; REVERT(0, 0)
 */
const LIQUIDITY_PROVIDER = fromHex(
  '602580600b6000396000f3' +
    '3660006000376020600036600034630100000' +
    '65af115601f5760206000a0005b60006000fd',
)

/** A contract advances RBTC to a user and claims the user's deposit with fewer confirmations of its own. */
export async function flyover(scene: Scene): Promise<StepReport> {
  const { bridge, chain, miner, accounts } = scene
  const [deployer] = accounts
  const { contractAddress } = await bridge.node.send(deployer, { data: LIQUIDITY_PROVIDER })
  if (contractAddress === null) throw new RehearsalError('REFUSED', 'the contract was not created')
  const contract = fromHex(contractAddress)

  const user = p2pkhPurse(chain, keyPairOfSeed('rehearsal fly-over user'))
  const provider = p2pkhPurse(chain, keyPairOfSeed('rehearsal liquidity provider'))
  const [userRefund, providerRefund] = [addressBytes(user.script), addressBytes(provider.script)]
  const quote = keccak256(Buffer.from('what the user and the provider agreed on'))
  const derivation = keccak256(Buffer.concat([quote, userRefund, contract, providerRefund]))
  const redeemScript = await bridge.readBytes('getActivePowpegRedeemScript()')
  const deposit = p2shP2wshScript(
    Buffer.concat([Buffer.from([PUSH_32]), derivation, Buffer.from([OP_DROP]), redeemScript]),
  )

  miner.pay([{ script: user.script, value: ALLOWANCE }])
  chain.mine(1)
  const { transaction, block, proof } = await confirm(scene, user.pay([{ script: deposit, value: DEPOSIT }]))
  const before = await bridge.node.balance(contract)
  const receipt = await bridge.node.send(deployer, {
    to: contract,
    data: encodeCall(METHOD, [
      Buffer.from(transaction.toBuffer()),
      block.height,
      proof,
      quote,
      userRefund,
      contract,
      providerRefund,
      true,
    ]),
  })
  const answer = receipt.logs.find(({ address }) => address === toHex(contract))
  const result = answer === undefined ? 0n : numberAt(fromHex(answer.data), 0)
  const gained = (await bridge.node.balance(contract)) - before
  if (gained !== DEPOSIT * WEI_PER_SATOSHI || result !== gained) {
    throw new RehearsalError('REFUSED', `the fly-over brought ${formatRbtc(gained)}, its result is ${result}`)
  }
  return {
    title: 'A fly-over peg-in',
    text:
      'A contract claims a deposit to an address that only its quote leads to: the federation script behind the hash ' +
      'of what user and provider agreed on. The Bridge pays the contract, which has advanced the RBTC.',
    metadata: [
      ['contract', contractAddress],
      ['deposit address', addressOfScript(deposit)],
      ['Bitcoin transaction', transaction.getId()],
      ['amount', formatBitcoin(DEPOSIT)],
      ['claimed by', receipt.transactionHash],
      ['the contract got', formatRbtc(gained)],
    ],
  }
}

/** Version and hash of a base58 address: 21 bytes. */
function addressBytes(script: Uint8Array): Buffer {
  const { version, hash } = bitcoinAddress.fromBase58Check(addressOfScript(script))
  return Buffer.concat([Buffer.from([version]), hash])
}
