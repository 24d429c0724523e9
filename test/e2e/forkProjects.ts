import { type Abi, encodeDeployData } from 'viem'
import { readArtefact } from '../contracts/artefact.ts'
import type { Ask } from '../fork/upstreamChain.ts'

/** Contracts of lending and minting on a chain that is forked, and who has the most of their token. */
export interface Protocols {
  readonly token: string
  readonly oracle: string
  readonly loans: string
  readonly stable: string
  readonly whale: string
}

/** An account that nobody here has the key of. */
const WHALE = '0x00000000000000000000000000000000000aa1e5'
const DEPLOYER = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'
/** Tokens for one coin. */
const PRICE = 100n
const COIN = 10n ** 18n
/** Blocks above which every rule of regtest is in use. */
const PAST_UPGRADES = 460

/** Makes the chain of a development node one that projects fork at its head. */
export async function prepareUpstream(ask: Ask): Promise<{ protocols: Protocols; head: number }> {
  await ask('hardhat_mine', [`0x${PAST_UPGRADES.toString(16)}`])
  const protocols = await deployProtocols(ask)
  return { protocols, head: Number(await ask('eth_blockNumber')) }
}

/** Deploys the contracts, and has the whale hold tokens and a part of the pool. */
async function deployProtocols(ask: Ask): Promise<Protocols> {
  const send = async (transaction: object) => {
    const hash = await ask('eth_sendTransaction', [{ from: DEPLOYER, gas: '0x400000', ...transaction }])
    const receipt = await ask<{ status: string; contractAddress: string }>('eth_getTransactionReceipt', [
      hash,
    ])
    if (receipt.status !== '0x1') throw new Error('the protocols cannot be set up')
    return receipt.contractAddress
  }
  const deploy = (name: 'Token' | 'Oracle' | 'Loans' | 'Stable', args: unknown[], value = 0n) => {
    const { abi, bytecode } = readArtefact(name)
    const data = encodeDeployData({ abi: abi as Abi, bytecode, args })
    return send({ data, value: `0x${value.toString(16)}` })
  }
  const token = await deploy('Token', [10_000_000n * COIN])
  const oracle = await deploy('Oracle', [PRICE])
  const loans = await deploy('Loans', [token, oracle])
  const stable = await deploy('Stable', [oracle], 50n * COIN)
  const word = (value: bigint | string) => BigInt(value).toString(16).padStart(64, '0')
  // transfer(address,uint256)
  await send({ to: token, data: `0xa9059cbb${word(WHALE)}${word(5_000_000n * COIN)}` })
  return { token, oracle, loans, stable, whale: WHALE }
}

/** The test file of a Hardhat project that works on a fork. */
export function hardhatForkTests({ token, loans, stable, whale }: Protocols): string {
  return `
const assert = require('node:assert')
const { ethers, network } = require('hardhat')
const rpc = (method, ...params) => network.provider.send(method, params)
const coin = 10n ** 18n

describe('a project on a fork', () => {
  let user, token, loans, stable
  before(async () => {
    ;[, user] = await ethers.getSigners()
    token = (await ethers.getContractAt('Token', '${token}')).connect(user)
    loans = (await ethers.getContractAt('Loans', '${loans}')).connect(user)
    stable = (await ethers.getContractAt('Stable', '${stable}')).connect(user)
  })

  it('mints shares with the tokens of a whale', async () => {
    await rpc('hardhat_setBalance', '${whale}', '0xde0b6b3a7640000')
    await rpc('hardhat_impersonateAccount', '${whale}')
    const signer = await ethers.getSigner('${whale}')
    await (await token.connect(signer).approve('${loans}', 1000n * coin)).wait()
    const receipt = await (await loans.connect(signer).mint(user.address, 1000n * coin)).wait()
    assert.equal(receipt.status, 1)
    await rpc('hardhat_stopImpersonatingAccount', '${whale}')
    assert.equal(await loans.sharesOf(user.address), 1000n * coin)
  })

  it('borrows against coins, and not more than they are worth', async () => {
    const before = await token.balanceOf(user.address)
    await (await loans.borrow(66n * coin, { value: coin })).wait()
    assert.equal((await token.balanceOf(user.address)) - before, 66n * coin)
    await assert.rejects(loans.borrow.staticCall(68n * coin, { value: coin }), /collateral insufficient/)
  })

  it('mints a stable token for coins, while there is coverage', async () => {
    const receipt = await (await stable.mintDoc(coin, { value: 2n * coin })).wait()
    assert.equal(await stable.balanceOf(user.address), 100n * coin)
    assert.equal(stable.interface.parseLog(receipt.logs[0]).args.value, 100n * coin)
    await assert.rejects(stable.mintDoc.staticCall(30n * coin, { value: 31n * coin }), /coverage too low/)
  })

  it('is given tokens by their cell', async () => {
    await rpc('anvil_dealERC20', user.address, '${token}', '0x' + (7n * coin).toString(16))
    assert.equal(await token.balanceOf(user.address), 7n * coin)
    await (await token.approve('${loans}', 7n * coin)).wait()
    await (await loans.mint(user.address, 7n * coin)).wait()
    assert.equal(await token.balanceOf(user.address), 0n)
  })

  it('goes back to a snapshot, and to the fork', async () => {
    const snapshot = await rpc('evm_snapshot')
    await (await loans.borrow(1n, { value: coin })).wait()
    assert.equal(await rpc('evm_revert', snapshot), true)
    assert.equal(await loans.debtOf(user.address), 66n * coin)
    await rpc('hardhat_reset', { forking: {} })
    assert.equal(await loans.debtOf(user.address), 0n)
    assert.equal(await loans.shares(), 0n)
  })
})
`
}
