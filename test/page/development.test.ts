import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Abi, encodeDeployData, encodeFunctionData } from 'viem'
import { readArtefact } from '../contracts/artefact.ts'
import { COW_ADDRESS, COW_KEY } from '../support/accounts.ts'
import { startNode } from '../support/nodeProcess.ts'
import {
  accessibilityFaults,
  findBrowser,
  openBrowser,
  openTab,
  overhang,
  type Tab,
  untilShown,
} from './browser.ts'
import { create, RECEIVER, send } from './chain.ts'

const WHALE = `0x${'3a'.repeat(20)}`
const POOR = `0x${'5c'.repeat(20)}`
/** An address of a network, which the browser takes for this machine. */
const NEIGHBOUR = '192.0.2.7'

/** The groups of long amounts that have parts in more lines than one. */
const SPLIT_GROUPS = `[...document.querySelectorAll('.amount')].flatMap((amount) => [...amount.childNodes])
  .filter((group) => {
    const range = document.createRange()
    range.selectNode(group)
    return group.nodeType === Node.TEXT_NODE && range.getClientRects().length !== 1
  }).length`

const skip = findBrowser() === null && process.env['CI'] !== 'true' ? 'no Chromium on this machine' : false

t.test('the panel of a development chain in a browser', { skip }, async (t) => {
  const node = await startNode({ dataDir: join(t.testdir({ data: {} }), 'data') })
  t.teardown(() => node.stop())
  const browser = await openBrowser(t, [
    `--host-resolver-rules=MAP ${NEIGHBOUR} 127.0.0.1`,
    '--no-proxy-server',
  ])
  const head = async () => BigInt(await node.request<string>('eth_blockNumber'))
  const balance = async (address: string) =>
    BigInt(await node.request<string>('eth_getBalance', [address, 'latest']))
  /** Runs a test in a tab of its own, in which nothing may go wrong. */
  const inTab = (name: string, options: object, body: (t: Test, tab: Tab) => Promise<void>) =>
    t.test(name, async (t) => {
      const tab = await openTab(browser, `${node.url}/#/dev`, options)
      await untilShown(tab.page, 'Development')
      await body(t, tab)
      t.same(tab.faults, [])
      await tab.page.context().close()
    })
  const part = (page: Tab['page'], name: string) =>
    page.locator('section', { has: page.getByRole('heading', { name, exact: true }) })

  await inTab('accounts, and their keys on request', {}, async (t, { page }) => {
    t.equal(await page.locator('#dev-link').isVisible(), true)
    const accounts = part(page, 'Accounts')
    t.equal(await accounts.locator('tbody tr').count(), 10)
    t.notMatch(await page.content(), COW_KEY)
    await accounts.getByRole('button', { name: `Show key of ${COW_ADDRESS}` }).click()
    await accounts.getByText(COW_KEY).waitFor()
    await accounts.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByRole('status').filter({ hasText: 'key copied' }).waitFor({ state: 'attached' })
  })

  await t.test('on a page that is not of this machine no key is offered', async (t) => {
    const { port } = new URL(node.url)
    const { page, faults } = await openTab(browser, `http://${NEIGHBOUR}:${port}/#/dev`)
    await untilShown(page, 'Development')
    await part(page, 'Accounts').locator('tbody tr').first().waitFor()
    t.equal(await page.getByRole('button', { name: /key/i }).count(), 0)
    // Browsers say that they isolate no page that came over plain HTTP from elsewhere.
    t.same(
      faults.filter((fault) => !fault.includes('Cross-Origin-Opener-Policy')),
      [],
    )
    await page.context().close()
  })

  await inTab('blocks are made and time goes on', {}, async (t, { page }) => {
    const before = await head()
    await page.getByLabel('Blocks', { exact: true }).fill('many')
    await page.getByRole('button', { name: 'Mine', exact: true }).click()
    await part(page, 'Blocks').getByText('A whole number is needed here.').waitFor()
    await page.getByLabel('Blocks', { exact: true }).fill('5')
    await page.getByLabel('Seconds between them').fill('30')
    await page.getByRole('button', { name: 'Mine', exact: true }).click()
    await part(page, 'Blocks')
      .getByText(`The head is block ${before + 5n}.`)
      .waitFor()
    t.equal(await head(), before + 5n)
    const timeOf = async () =>
      Number((await node.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])).timestamp)
    const time = await timeOf()
    await page.getByLabel('Go forward', { exact: true }).fill('86400')
    await page.getByRole('button', { name: 'Go forward and mine' }).click()
    await part(page, 'Time').getByText('The clock of the chain went forward by 86,400 s.').waitFor()
    t.ok((await timeOf()) >= time + 86_000)
    const next = (await timeOf()) + 1000
    await page.getByLabel('Time of the next block').fill('1')
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await part(page, 'Time')
      .getByText(/is not after/)
      .waitFor()
    await page.getByLabel('Time of the next block').fill(String(next))
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await part(page, 'Time')
      .getByText(/^The next block is of /)
      .waitFor()
    await node.request('evm_mine')
    t.equal(await timeOf(), next)
    await part(page, 'Time').getByText(`${next} s since 1970`).waitFor()
  })

  await inTab('money is sent to an address, and a snapshot takes it back', {}, async (t, { page }) => {
    await page.getByRole('button', { name: 'Take a snapshot' }).click()
    const snapshots = part(page, 'Snapshots')
    await snapshots.getByRole('button', { name: /^Revert/ }).waitFor()
    const before = await head()
    await page.goto(`${node.url}/#/address/${POOR}`)
    await untilShown(page, 'Address')
    await page.getByRole('link', { name: 'from an account of the node' }).click()
    await untilShown(page, 'Development')
    const money = part(page, 'Send money')
    t.equal((await money.getByLabel('To', { exact: true }).inputValue()).toLowerCase(), POOR)
    await money.getByLabel('Amount').fill('1.2.3')
    await money.getByRole('button', { name: 'Send' }).click()
    await money.getByText('An amount is a decimal number').waitFor()
    await money.getByLabel('Amount').fill('2.5')
    await money.getByRole('button', { name: 'Send' }).click()
    await money.locator('.tag.good', { hasText: 'success' }).waitFor()
    t.equal(await balance(POOR), 25n * 10n ** 17n)
    await snapshots.getByRole('button', { name: /^Revert/ }).click()
    await snapshots.getByText(/^The chain is as it was at snapshot /).waitFor()
    t.equal(await balance(POOR), 0n)
    t.equal(await head(), before)
    t.equal(await snapshots.getByRole('button', { name: /^Revert/ }).count(), 0)
  })

  await inTab('an address is impersonated, and no more', {}, async (t, { page }) => {
    await node.request('hardhat_setBalance', [WHALE, '0x56bc75e2d63100000'])
    const impersonate = part(page, 'Impersonate')
    await impersonate.getByLabel('Address').fill(WHALE)
    await impersonate.getByRole('button', { name: 'Impersonate', exact: true }).click()
    await impersonate.getByRole('button', { name: /^Stop/ }).waitFor()
    const money = part(page, 'Send money')
    await money.getByLabel('From').selectOption({ index: 10 })
    await money.getByLabel('To', { exact: true }).fill(RECEIVER)
    await money.getByLabel('Amount').fill('1')
    await money.getByRole('button', { name: 'Send' }).click()
    await money.locator('.tag.good', { hasText: 'success' }).waitFor()
    const block = await node.request<{ transactions: { from: string }[] }>('eth_getBlockByNumber', [
      'latest',
      true,
    ])
    t.equal(block.transactions[0]?.from, WHALE)
    await impersonate.getByRole('button', { name: /^Stop/ }).click()
    await impersonate.getByText('Nobody is impersonated from here.').waitFor()
    t.equal(await money.getByLabel('From').locator('option').count(), 10)
    await t.rejects(node.request('eth_sendTransaction', [{ from: WHALE, to: RECEIVER, value: '0x1' }]))
  })

  await inTab(
    'on a phone the longest amounts end their lines behind thousands, and an address has one line',
    { viewport: { width: 360, height: 640 } },
    async (t, { page }) => {
      await node.request('hardhat_setBalance', [WHALE, `0x${'f'.repeat(64)}`])
      await page.goto(`${node.url}/#/address/${WHALE}`)
      await untilShown(page, 'Address')
      t.equal(await page.locator('.amount').count(), 2)
      t.equal(await page.evaluate<number>(SPLIT_GROUPS), 0)
      const address = page.locator('.hash code').first()
      t.equal(await address.evaluate((code) => code.getClientRects().length), 1)
      t.equal(await overhang(page), 0)
    },
  )

  await inTab('what a contract prints is among its calls', {}, async (t, { page }) => {
    const noisy = readArtefact('Noisy')
    const abi = noisy.abi as Abi
    const contract = await create(
      node,
      encodeDeployData({ abi, bytecode: noisy.bytecode, args: [5n, 'Ann'] }),
    )
    const data = encodeFunctionData({ abi, functionName: 'add', args: [7n] })
    const hash = await send(node, { to: contract, data })
    await page.goto(`${node.url}/#/tx/${hash}`)
    await untilShown(page, 'Transaction')
    await page.locator('.calls strong', { hasText: 'console.log' }).first().waitFor()
    t.match(await page.locator('.printed').allTextContents(), [/^adding 7 for 0x[0-9a-fA-F]{40}$/, /^inside/])
    await page.setViewportSize({ width: 320, height: 640 })
    t.equal(await overhang(page), 0)
    t.same(await accessibilityFaults(page), [])
  })

  await inTab('who leaves while balances are read leaves nothing behind', {}, async (_, { page }) => {
    const isReadingBalances = (text: string | null) => text?.includes('eth_getBalance') === true
    // Such a request is never answered: only the page ends it.
    await page.route('**/*', (route) =>
      isReadingBalances(route.request().postData()) ? undefined : route.continue(),
    )
    const begun = page.waitForEvent('request', (request) => isReadingBalances(request.postData()))
    await node.request('evm_mine')
    await begun
    const ended = page.waitForEvent('requestfailed', (request) => isReadingBalances(request.postData()))
    await page.getByRole('link', { name: 'Blocks', exact: true }).click()
    await ended
    await untilShown(page, 'Blocks')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  for (const [size, viewport] of [
    ['a phone', { width: 320, height: 640 }],
    ['a desk', { width: 1280, height: 800 }],
  ] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await inTab(
        `on ${size}, ${colorScheme}: fits, and axe finds nothing`,
        { viewport, colorScheme },
        async (t, { page }) => {
          await page.getByRole('button', { name: `Show key of ${COW_ADDRESS}` }).click()
          await page.getByText(COW_KEY).waitFor()
          await page.getByRole('button', { name: 'Take a snapshot' }).click()
          await page.getByRole('button', { name: /^Revert/ }).waitFor()
          t.equal(await overhang(page), 0)
          t.same(await accessibilityFaults(page), [])
        },
      )
    }
  }
})

t.test('a public node shows what is public and no more', { skip }, async (t) => {
  const args = ['--profile', 'hosted']
  const node = await startNode({ dataDir: join(t.testdir({ data: {} }), 'data'), args })
  t.teardown(() => node.stop())
  const browser = await openBrowser(t)
  const { page, faults } = await openTab(browser, `${node.url}/`)
  await untilShown(page, 'Local development chain')
  t.equal(await page.locator('#dev-link').isVisible(), false)
  await page.goto(`${node.url}/#/dev`)
  await untilShown(page, 'There is no such page')
  await page.goto(`${node.url}/#/address/${COW_ADDRESS}`)
  await untilShown(page, 'Address')
  await page.getByText('Nothing has been looked through yet.').waitFor()
  t.equal(await page.getByText('Send money').count(), 0)
  await page.getByRole('button', { name: 'Look through the newest 128 blocks' }).click()
  await page.getByText('0 in blocks 0 to 0').first().waitFor()
  t.same(faults, [])
})
