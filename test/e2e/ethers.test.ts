import {
  Contract,
  ContractFactory,
  isCallException,
  JsonRpcProvider,
  Network,
  parseEther,
  Wallet,
} from 'ethers'
import t from 'tap'
import { readArtefact } from '../contracts/artefact.ts'
import { COW_ADDRESS, COW_KEY, REGTEST_CHAIN_ID } from '../support/accounts.ts'
import { startNode } from '../support/nodeProcess.ts'
import { fetchVerifiedProof } from './proofs.ts'
import { balanceSlot } from './tokenSlots.ts'

const SUPPLY = parseEther('5000')

t.test('an ethers client deploys, sends, reads and verifies', async (t) => {
  const node = await startNode({ dataDir: t.testdir() })
  t.teardown(() => node.stop())
  // Answers are cached for a quarter of a second by default, in which this chain makes several blocks.
  const network = new Network('regtest', REGTEST_CHAIN_ID)
  const provider = new JsonRpcProvider(node.url, network, {
    staticNetwork: network,
    pollingInterval: 50,
    cacheTimeout: -1,
  })
  t.teardown(() => provider.destroy())
  const wallet = new Wallet(COW_KEY, provider)
  const receiver = Wallet.createRandom().address
  t.equal(wallet.address.toLowerCase(), COW_ADDRESS)

  const deploy = async (name: 'Token' | 'Failures' | 'Archive', args: unknown[]): Promise<Contract> => {
    const { abi, bytecode, deployedBytecode } = readArtefact(name)
    const factory = new ContractFactory(abi as [], bytecode, wallet)
    const deployed = await (await factory.deploy(...args)).waitForDeployment()
    const address = await deployed.getAddress()
    t.equal(await provider.getCode(address), deployedBytecode, `${name} has its code`)
    return new Contract(address, abi as [], wallet)
  }
  const send = async (contract: Contract, name: string, args: unknown[], options: object = {}) => {
    const response = await contract.getFunction(name).send(...args, options)
    const receipt = await response.wait()
    if (receipt === null) throw new Error('no receipt')
    return receipt
  }

  const token = await deploy('Token', [SUPPLY])
  const failures = await deploy('Failures', [])
  const archive = await deploy('Archive', [])

  await t.test('transfers, receipts and logs', async (t) => {
    const payment = await (await wallet.sendTransaction({ to: receiver, value: parseEther('3') })).wait()
    t.equal(payment?.status, 1)
    t.equal(await provider.getBalance(receiver), parseEther('3'))
    const gas = await token.getFunction('transfer').estimateGas(receiver, 55n)
    const receipt = await send(token, 'transfer', [receiver, 55n], { gasLimit: gas })
    t.equal(receipt.status, 1, 'the estimated gas is enough')
    t.ok(receipt.gasUsed <= gas)
    const logs = await token.queryFilter(token.getEvent('Transfer')(null, receiver), 0)
    t.equal(logs.length, 1)
    t.match(logs[0], { transactionHash: receipt.hash, removed: false })
    t.equal(await token.getFunction('balanceOf').staticCall(receiver), 55n)
    t.equal(await provider.getTransactionCount(wallet.address), 5)
  })

  await t.test('reasons and custom errors of failed calls', async (t) => {
    const failure = async (contract: Contract, name: string, args: unknown[]) => {
      try {
        await contract.getFunction(name).staticCall(...args)
      } catch (thrown) {
        if (isCallException(thrown)) return thrown
        throw thrown
      }
      throw new Error(`${name} did not fail`)
    }
    t.equal((await failure(failures, 'withReason', ['it is closed'])).reason, 'it is closed')
    const custom = (await failure(failures, 'withError', [9n, 'why'])).revert
    t.equal(custom?.name, 'Refused')
    t.same([...(custom?.args ?? [])], [wallet.address, 9n, 'why'])
    t.match((await failure(failures, 'overflow', [1n])).revert, { name: 'Panic' })
    const poor = (await failure(token, 'transfer', [receiver, SUPPLY * 2n])).revert
    t.equal(poor?.name, 'InsufficientBalance')
    const estimate = await failures
      .getFunction('withReason')
      .estimateGas('no way')
      .catch((thrown) => thrown)
    t.match(estimate, { code: 'CALL_EXCEPTION', reason: 'no way' }, 'an estimate')
    const sent = await failures.getFunction('withBareError').send({ gasLimit: 90_000n })
    await t.rejects(sent.wait(), { code: 'CALL_EXCEPTION' }, 'a mined failure')
  })

  await t.test(
    'storage over several cells, maps that refer to themselves, and state kept by failed parts',
    async (t) => {
      const text = 'x'.repeat(100)
      await send(archive, 'setTitle', [text])
      await send(archive, 'append', ['one'])
      await send(archive, 'append', [text])
      await send(archive, 'drop', [])
      await send(archive, 'link', [10n, 5n])
      t.equal(await archive.getFunction('title').staticCall(), text)
      t.same([...(await archive.getFunction('follow').staticCall(10n))], [15n, 5n])
      await send(failures, 'caught', [])
      t.equal(await failures.getFunction('calls').staticCall(), 1n)
    },
  )

  await t.test('proofs of accounts and cells', async (t) => {
    const address = await token.getAddress()
    const { exists, answer } = await fetchVerifiedProof(node, address.toLowerCase(), [
      balanceSlot(receiver as `0x${string}`),
      balanceSlot(`0x${'12'.repeat(20)}`),
    ])
    t.ok(exists)
    t.same(
      answer.storageProof.map(({ value }) => BigInt(value)),
      [55n, 0n],
    )
    const stored = await fetchVerifiedProof(node, (await archive.getAddress()).toLowerCase(), [
      '0x0',
      '0x1',
      '0x2',
    ])
    t.same(
      stored.answer.storageProof.map(({ value }) => value),
      ['0xc9', '0x0', '0x1'],
      'the length of a long string, an empty word, a list of one',
    )
  })
})
