import t from 'tap'
import { mnemonicToAccount } from 'viem/accounts'
import { runCommand } from '../support/cli.ts'
import { startNode } from '../support/nodeProcess.ts'
import { testFolder } from '../support/testFolder.ts'

const WORDS = 'test test test test test test test test test test test junk'
const OTHER = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

/** Addresses as another library derives them, lower case. */
function addressesOf(words: string, path: `m/44'/${string}`, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    mnemonicToAccount(words, { path: `${path}/${index}` as `m/44'/60'/${string}` }).address.toLowerCase(),
  )
}

t.test(
  'the tools of Hardhat find their accounts, funded, and what they sent is not given back',
  async (t) => {
    const dataDir = testFolder(t)
    const args = ['--client-name', 'hardhat']
    const node = await startNode({ dataDir, args })
    const expected = addressesOf(WORDS, "m/44'/60'/0'/0", 10)
    t.same(await node.request('eth_accounts'), expected)
    t.same(await node.request('eth_requestAccounts'), expected)
    for (const address of expected) {
      t.equal(
        await node.request('eth_getBalance', [address, 'latest']),
        `0x${(10_000n * 10n ** 18n).toString(16)}`,
      )
    }
    const [from, , , , , , , , , to] = expected
    const hash = await node.request('eth_sendTransaction', [{ from, to, value: '0x1', gas: '0x5208' }])
    t.match(await node.request('eth_getTransactionReceipt', [hash]), { status: '0x1', from, to })
    await node.stop()

    const again = await startNode({ dataDir, args })
    t.equal(
      await again.request('eth_getBalance', [to, 'latest']),
      `0x${(10_000n * 10n ** 18n + 1n).toString(16)}`,
      'a later start leaves balances as they are',
    )
    const full = `0x${(10_000n * 10n ** 18n).toString(16)}`
    await again.request('hardhat_reset')
    t.equal(await again.request('eth_getBalance', [to, 'latest']), full, 'a reset funds them again')
    await again.request('hardhat_mine', ['0x3'])
    await again.request('anvil_rollback', [2])
    t.equal(await again.request('eth_getBalance', [to, 'latest']), full)
    await again.stop()
  },
)

t.test('a mnemonic of the own, its path, number of accounts and balance', async (t) => {
  const path = "m/44'/37310'/0'/0"
  const args = ['--mnemonic', OTHER, '--derivation-path', path, '--accounts', '3', '--balance', '7']
  const node = await startNode({ dataDir: testFolder(t), args })
  const expected = addressesOf(OTHER, path, 3)
  t.same(await node.request('eth_accounts'), expected)
  for (const address of expected)
    t.equal(await node.request('eth_getBalance', [address, 'latest']), `0x${(7n * 10n ** 18n).toString(16)}`)
  t.match(node.output(), `"${OTHER}" at ${path}/n`, 'the banner names it')
  await node.stop()
})

t.test('what is no mnemonic, and where there is none', async (t) => {
  const start = (...args: string[]) =>
    runCommand(['start', '--data-dir', testFolder(t), '--http-port', '0', ...args])
  const words = await start('--mnemonic', 'test test junk')
  t.not(words.code, 0)
  t.match(words.stderr, '--mnemonic: a mnemonic has 12, 15, 18, 21 or 24 words (BIP-39), not ')
  const network = await start('--mnemonic', WORDS, '--network', 'testnet')
  t.not(network.code, 0)
  t.match(network.stderr, '--mnemonic is for development chains')
})
