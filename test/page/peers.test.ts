import t from 'tap'
import { freePort, startNode } from '../support/nodeProcess.ts'
import { testFolder } from '../support/testFolder.ts'
import { accessibilityFaults, findBrowser, openBrowser, openTab, overhang, untilShown } from './browser.ts'
import { HOSTILE } from './chain.ts'

const skip = findBrowser() === null && process.env['CI'] !== 'true' ? 'no Chromium on this machine' : false
const SIZES = [
  { width: 320, height: 640 },
  { width: 1280, height: 800 },
]

/** An answer of a node that cannot go on while it synchronises. */
const HALTED = {
  listening: true,
  knownNodes: '0x2a',
  bytesIn: '0x100000',
  bytesOut: '0x400',
  clockBehind: '0x19',
  clockAhead: null,
  isDown: true,
  sync: {
    stage: 'halted',
    syncing: true,
    startingBlock: '0x0',
    currentBlock: '0x3e8',
    highestBlock: '0xfa0',
    checkedHeader: '0xfa0',
    headersPerSecond: 120.3,
    blocksPerSecond: 2.5,
    secondsLeft: '0x4b0',
    peersUsed: '0x1',
  },
  halted: {
    cause: 'refusedBlock',
    number: '0x3e9',
    hash: `0x${'cd'.repeat(32)}`,
    rule: 'stateRoot',
    expected: `0x${'01'.repeat(32)}`,
    found: `0x${'02'.repeat(32)}`,
  },
  peers: [
    {
      id: '0123456789abcdef',
      client: HOSTILE,
      inbound: true,
      number: '0xfa0',
      connectedSeconds: '0x3d',
      bytesIn: '0x100000',
      bytesOut: '0x400',
      score: -3,
      latency: null,
    },
  ],
}

t.test('peers in a browser', { skip }, async (t) => {
  const browser = await openBrowser(t)
  const port = await freePort()
  const common = ['--p2p-host', '127.0.0.1', '--no-mining']
  const first = await startNode({
    dataDir: testFolder(t),
    args: [...common, '--peers', '--p2p-port', String(port)],
  })
  t.teardown(() => first.stop('SIGKILL'))
  await first.request('hardhat_mine', ['0x5'])
  const { enode } = await first.request<{ enode: string }>('admin_nodeInfo')
  const second = await startNode({
    dataDir: testFolder(t),
    args: [...common, '--peer', enode, '--p2p-port', String(await freePort())],
  })
  t.teardown(() => second.stop('SIGKILL'))

  await t.test('who is connected, and that all blocks are here', async (t) => {
    const { page, faults } = await openTab(browser, `${second.url}/`)
    await page.getByRole('link', { name: 'Peers', exact: true }).click()
    await untilShown(page, 'Peers')
    const row = page.locator('main tbody tr')
    await row.getByText(/^Rhizome/).waitFor()
    t.match(await row.textContent(), `127.0.0.1:${port}`)
    t.match(await row.textContent(), /dialled/)
    await page.getByText('following the newest blocks').waitFor()
    await page.locator('main dd a[href="#/block/5"]').waitFor()
    t.same(faults, [])
    await page.context().close()
  })

  for (const viewport of SIZES) {
    await t.test(`a halted node says why; it fits ${viewport.width} pixels`, async (t) => {
      const { page, faults } = await openTab(browser, `${second.url}/`, { viewport })
      await page.route('**/*', async (route) => {
        const asked = route.request().postData()
        if (asked?.includes('"rsk_getPeerStatus"') !== true) return route.continue()
        const { id } = JSON.parse(asked)
        return route.fulfill({ json: { jsonrpc: '2.0', id, result: HALTED } })
      })
      await page.goto(`${second.url}/#/peers`)
      await untilShown(page, 'Peers')
      const text = (await page.locator('main').textContent()) ?? ''
      t.match(text, 'peers insist on block 1,001')
      for (const said of [HALTED.halted.expected, HALTED.halted.found, 'stateRoot']) t.match(text, said)
      t.match(text, 'at least 25 s behind')
      t.match(text, 'it is started again')
      t.match(text, '1,000 of 4,000, 25 %')
      t.match(text, '2.5 blocks/s')
      t.match(text, 'about 20 min')
      t.equal(await page.locator('progress').getAttribute('max'), '4000')
      t.equal(await page.locator('main img').count(), 0, 'what a peer calls itself is text')
      t.equal(await overhang(page), 0)
      t.same(await accessibilityFaults(page), [])
      t.same(faults, [])
      await page.context().close()
    })
  }
})
