import { join } from 'node:path'
import t, { type Test } from 'tap'
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
import { HOSTILE, makeSample, RECEIVER, type Sample, SENDER, send } from './chain.ts'

const SHOWN_HOSTILE = HOSTILE.replace('\u202e', '\\u{202e}')

/** Asks for a browser; only people who have none at home may do without. */
const skip = findBrowser() === null && process.env['CI'] !== 'true' ? 'no Chromium on this machine' : false
const opened = skip === false ? await openBrowser(t) : null
/** A tab of the browser of this file. */
const open = async (url: string, options?: object) => {
  if (opened === null) throw new Error('no browser')
  return openTab(opened, url, options)
}

t.test('the page in a browser', { skip }, async (t) => {
  const node = await startNode({ dataDir: join(t.testdir({ data: {} }), 'data') })
  t.teardown(() => node.stop())
  const sample = await makeSample(node)
  const url = `${node.url}/`
  /** Runs a test in a tab of its own, in which nothing may go wrong. */
  const inTab = (name: string, options: object, body: (t: Test, tab: Tab) => Promise<void>) =>
    t.test(name, async (t) => {
      const tab = await open(url, options)
      await body(t, tab)
      t.same(tab.faults, [])
      await tab.page.context().close()
    })
  const shown = (page: Tab['page'], text: string | RegExp) =>
    page.locator('main').getByText(text).first().waitFor()

  await inTab('the head moves with the chain', {}, async (t, { page }) => {
    await untilShown(page, 'Local development chain')
    await page.locator('#feed[data-state=live]').waitFor()
    const before = BigInt(await node.request<string>('eth_blockNumber'))
    await page.locator('.height', { hasText: new RegExp(`^${before}$`) }).waitFor()
    const hash = await send(node, { to: RECEIVER, value: '0x1' })
    await page.locator('.height', { hasText: new RegExp(`^${before + 1n}$`) }).waitFor()
    await page.locator(`a[href="#/tx/${hash}"]`).waitFor()
    t.match(await page.locator('#newest').textContent(), new RegExp(`^Block ${before + 1n} `))
    t.match(await page.locator('main').textContent(), /Client\s*Rhizome\//)
    t.match(await page.locator('main').textContent(), /Waiting transactions\s*0 ready, 0 behind a gap/)
    t.match(await page.locator('main').textContent(), /States\s*of all blocks/)
  })

  await inTab('from a block to a transaction to an address, and back', {}, async (t, { page }) => {
    await untilShown(page, 'Local development chain')
    const { blockNumber } = await node.request<{ blockNumber: string }>('eth_getTransactionReceipt', [
      sample.payment,
    ])
    await page
      .locator(`main a[href="#/block/${BigInt(blockNumber)}"]`)
      .first()
      .click()
    await untilShown(page, `Block ${BigInt(blockNumber)}`)
    t.equal(await page.evaluate('document.activeElement.tagName'), 'H1')
    await page.locator(`a[href="#/tx/${sample.payment}"]`).click()
    await untilShown(page, 'Transaction')
    t.match(await page.locator('main').textContent(), /123\.456789012345678901 RBTC/)
    await page.locator('main dd a[href^="#/address/0x7986"]').click()
    await untilShown(page, 'Address')
    await shown(page, '0x7986b3df570230288501EEa3D890bd66948C9B79')
    await page.goBack()
    await untilShown(page, 'Transaction')
    await page.goBack()
    await untilShown(page, `Block ${BigInt(blockNumber)}`)
    await page.goBack()
    await untilShown(page, 'Local development chain')
    t.match(page.url(), /\/(#\/)?$/)
  })

  await inTab('the Bridge: who holds the funds, and what waits', {}, async (t, { page }) => {
    await untilShown(page, 'Local development chain')
    await page.getByRole('link', { name: 'Bridge', exact: true }).click()
    await untilShown(page, 'Bridge')
    const status = await node.request<{
      federations: { active: { address: string; members: unknown[] } }
      bitcoin: { hash: string }
    }>('rsk_getBridgeStatus')
    const text = (await page.locator('main').textContent()) ?? ''
    const above = (name: string) =>
      page.evaluate<string>(
        `getComputedStyle([...document.querySelectorAll('section')].find((part) => part.firstChild.textContent === ${JSON.stringify(name)})).marginTop`,
      )
    t.equal(await above('Active federation'), '32px', 'headings stand apart from what is above them')
    t.match(text, status.federations.active.address)
    t.match(text, status.bitcoin.hash)
    t.match(text, `2 of ${status.federations.active.members.length}`)
    t.match(text, /Locked\s*0 RBTC/)
    const bridge = `0x${'1000006'.padStart(40, '0')}`
    const hash = await send(node, { to: bridge, value: `0x${(10n ** 18n).toString(16)}` })
    await page.locator(`main a[href="#/tx/${hash}"]`).waitFor()
    await shown(page, '1 BTC')
  })

  await inTab('the search finds blocks, transactions and addresses', {}, async (_t, { page }) => {
    const find = async (term: string) => {
      await page.getByLabel('Block number, hash or address').fill(term)
      await page.keyboard.press('Enter')
    }
    const block = await node.request<{ hash: string }>('eth_getBlockByNumber', ['0x2', false])
    for (const [term, title, address] of [
      ['2', 'Block 2', '#/block/2'],
      [block.hash, 'Block 2', `#/block/${block.hash}`],
      [sample.transfer, 'Transaction', `#/tx/${sample.transfer}`],
      [sample.token.toUpperCase().replace('0X', '0x'), 'Address', `#/address/${sample.token}`],
      ['99999999', 'There is no such block', '#/block/99999999'],
      ['<b>pizza</b>', 'Nothing found', `#/search/${encodeURIComponent('<b>pizza</b>')}`],
    ] as const) {
      await find(term)
      // The view before may have had the same title, and a view that comes empties the field of the search.
      await page.waitForURL((url) => url.href.endsWith(address))
      await untilShown(page, title)
    }
    await shown(page, '“<b>pizza</b>” is no block')
  })

  await inTab('what strangers wrote is text and nothing else', {}, async (t, { page, faults }) => {
    await page.goto(`${url}#/tx/${sample.failed}`)
    await untilShown(page, 'Transaction')
    await shown(page, SHOWN_HOSTILE)
    t.match(await page.locator('.heading').textContent(), /failed/)
    await page.goto(`${url}#/address/${sample.hostile}`)
    await untilShown(page, 'Address')
    t.equal(await page.locator('.said').count(), 2)
    t.same(await page.locator('.said').allTextContents(), [SHOWN_HOSTILE, SHOWN_HOSTILE])
    await page.goto(`${url}#/tx/${sample.logged}`)
    await untilShown(page, 'Transaction')
    await shown(page, 'Logs (1)')
    for (const hash of [
      '#/block/<img src=x>',
      `#/tx/${HOSTILE}`,
      `#/methods/${HOSTILE}`,
      '#/a/%zz',
      '#/address/0x12',
    ]) {
      await page.goto(`${url}${hash}`)
      await untilShown(page, 'There is no such')
    }
    t.equal(await page.locator('main img, main script').count(), 0)
    const written = page.evaluate('document.body.innerHTML = "<b>x</b>"')
    await t.rejects(written, /TrustedHTML/, 'the policy of the page forbids to write markup')
    t.match(faults.pop(), /TrustedHTML/, 'and the browser says so')
  })

  await inTab('transactions show logs, calls and why they failed', {}, async (t, { page }) => {
    await page.goto(`${url}#/tx/${sample.nested}`)
    await shown(page, /^Calls \(2\)$/)
    t.equal(await page.locator('.calls > li').count(), 2)
    t.match(await page.locator('.calls > li').nth(1).textContent(), /Reverted/)
    await page.goto(`${url}#/tx/${sample.transfer}`)
    await shown(page, 'transfer(address,uint256)')
    t.match(await page.locator('.logs').textContent(), /Transferfrom .*to .*value 5 RHZ/)
    // Raw logs and init code are long and seldom asked for.
    t.equal(await page.locator('.topics').first().isVisible(), false)
    await page.getByText('Raw log').first().click()
    t.equal(await page.locator('.topics').first().isVisible(), true)
    const [creation] = (
      await node.request<{ transactions: { hash: string }[] }>('eth_getBlockByNumber', ['0x1', true])
    ).transactions
    await page.goto(`${url}#/tx/${creation?.hash}`)
    await shown(page, /^Init code · [\d,]+ bytes$/)
    t.equal(await page.getByRole('group', { name: 'Init code' }).isVisible(), false)
  })

  await inTab(
    'lists tell how transactions ended, what they called and when; rewards stand apart',
    {},
    async (t, { page }) => {
      await untilShown(page, 'Local development chain')
      const row = (hash: string) => page.locator('main tr', { has: page.locator(`a[href="#/tx/${hash}"]`) })
      for (const [hash, outcome, method] of [
        [sample.failed, 'failed', /^0x[0-9a-f]{8}$/],
        [sample.transfer, 'success', /^transfer$/],
        [sample.payment, 'success', /^payment$/],
      ] as const) {
        await row(hash)
          .locator(`.tag.${outcome === 'failed' ? 'bad' : 'good'}`, { hasText: outcome })
          .waitFor()
        t.match(await row(hash).locator('td').nth(2).textContent(), method)
        t.match(await row(hash).locator('time').textContent(), / ago$|^in /)
      }
      const { blockNumber } = await node.request<{ blockNumber: string }>('eth_getTransactionReceipt', [
        sample.failed,
      ])
      await page.goto(`${url}#/block/${BigInt(blockNumber)}`)
      await shown(page, 'Transactions (1) and that of rewards')
      await row(sample.failed).getByText('failed').waitFor()
      const reward = page.locator('tr.reward')
      t.equal(await reward.count(), 1)
      t.match(await reward.textContent(), /rewards.*nobody.*REMASC/)
      await reward.locator('a[href^="#/tx/"]').click()
      await untilShown(page, 'Transaction')
      t.match(await page.locator('.heading').textContent(), /rewards of REMASC/)
    },
  )

  await inTab('an address has cells, a token its name', {}, async (t, { page }) => {
    await page.goto(`${url}#/address/${sample.token}`)
    await untilShown(page, 'Address')
    await shown(page, 'Rhizome test token')
    await shown(page, '1,000,000')
    // The third cell of the contract is its supply.
    await page.getByLabel('Position of a cell').fill('2')
    await page.getByRole('button', { name: 'Read' }).click()
    await shown(page, 'as a number: 1,000,000,000,000,000,000,000,000')
    await page.getByLabel('Position of a cell').fill('two')
    await page.getByRole('button', { name: 'Read' }).click()
    await shown(page, 'A position is a whole number')
    const logs = page.locator('section', { has: page.getByRole('heading', { name: 'Recent logs' }) })
    t.match(await logs.textContent(), /3 in blocks 0 to/)
  })

  await inTab('an address has transactions, transfers and tokens', {}, async (t, { page }) => {
    await page.goto(`${url}#/address/${RECEIVER}`)
    await untilShown(page, 'Address')
    const part = (name: string) => page.locator('section', { has: page.getByRole('heading', { name }) })
    const row = (name: string, hash: string) =>
      part(name).locator('tr', { has: page.locator(`a[href="#/tx/${hash}"]`) })
    await row('Transactions', sample.payment).getByText('123.456789012345678901').waitFor()
    await row('Token transfers', sample.transfer).getByText('5 RHZ').waitFor()
    const balances = part('Token transfers').getByRole('table', { name: 'Balances of the tokens below' })
    t.match(await balances.textContent(), /RHZ.*5 RHZ/)
    t.ok((await part('Token transfers').getByText(SHOWN_HOSTILE.slice(0, 20)).count()) > 0)
    t.equal(await part('Token transfers').locator('img').count(), 0)
    // The contract: who created it and who called it.
    await page.goto(`${url}#/address/${sample.token}`)
    await row('Transactions', sample.transfer).getByText('transfer').waitFor()
    await part('Transactions').getByText('creation').waitFor()
    t.equal(await part('Token transfers').locator('table').count(), 0, 'a token has none of itself')
    t.match(await part('Transactions').textContent(), /3 in blocks 0 to/)
  })

  await inTab('long lists come page by page', {}, async (t, { page }) => {
    const from = `0x${'5e'.repeat(20)}`
    await node.request('hardhat_setBalance', [from, '0x56bc75e2d63100000'])
    await node.request('hardhat_impersonateAccount', [from])
    await node.request('evm_setAutomine', [false])
    for (let nonce = 0; nonce < 4; nonce += 1) {
      await node.request('eth_sendTransaction', [
        {
          from,
          to: RECEIVER,
          value: '0x1',
          nonce: `0x${nonce.toString(16)}`,
          gas: '0x5208',
          gasPrice: '0x1',
        },
      ])
    }
    await node.request('evm_setAutomine', [true])
    await node.request('evm_mine')
    await node.request('hardhat_mine', ['0x82'])
    await page.goto(`${url}#/address/${from}`)
    const transactions = page.locator('section', {
      has: page.getByRole('heading', { name: 'Transactions' }),
    })
    await transactions.getByText(/^0 in blocks \d+ to/).waitFor()
    await transactions.getByRole('button', { name: 'Look further back' }).click()
    await transactions.getByText(/^4 in blocks 0 to/).waitFor()
    t.equal(await transactions.locator('tbody tr').count(), 4)
    t.equal(await transactions.getByRole('button').filter({ hasText: 'Look' }).count(), 0)
  })

  await inTab('methods are tried', {}, async (t, { page }) => {
    await page.goto(`${url}#/methods`)
    await untilShown(page, 'Methods')
    await page.getByLabel('Filter').fill('getbalance')
    t.equal(await page.locator('.methods li:visible').count(), 1)
    await page.getByRole('link', { name: 'eth_getBalance' }).click()
    await untilShown(page, 'eth_getBalance')
    await page.getByRole('button', { name: 'Send' }).click()
    await shown(page, 'A value is needed here.')
    await page.getByLabel('address', { exact: true }).fill('0x12')
    await page.getByRole('button', { name: 'Send' }).click()
    await shown(page, 'This does not fit: 0x-hex of 20 bytes.')
    await page.getByLabel('address', { exact: true }).fill(RECEIVER)
    await page.getByRole('button', { name: 'Send' }).click()
    const balance = await node.request<string>('eth_getBalance', [RECEIVER, 'latest'])
    await page.getByRole('group', { name: 'Result' }).getByText(`"${balance}"`).waitFor()
    const curl = await page.getByRole('group', { name: 'curl example' }).textContent()
    t.match(curl, `"params":["${RECEIVER}"]`)
    await page.goto(`${url}#/methods/eth_call`)
    await untilShown(page, 'eth_call')
    await page.getByLabel('call', { exact: true }).fill('{')
    await page.getByRole('button', { name: 'Send' }).click()
    await shown(page, 'This is no JSON.')
    await page
      .getByLabel('call', { exact: true })
      .fill(JSON.stringify({ to: sample.token, data: '0x18160ddd' }))
    await page.getByRole('button', { name: 'Send' }).click()
    const supply = (10n ** 24n).toString(16).padStart(64, '0')
    await page.getByRole('group', { name: 'Result' }).getByText(`"0x${supply}"`).waitFor()
    await page
      .getByLabel('call', { exact: true })
      .fill(JSON.stringify({ to: sample.token, data: '0x12345678' }))
    t.equal(await page.locator('.result > *').count(), 0, 'another request: the old result is gone')
    await page.getByRole('button', { name: 'Send' }).click()
    await shown(page, 'Error 3')
    await page.goto(`${url}#/methods/eth_sendTransaction`)
    await untilShown(page, 'eth_sendTransaction')
    await page
      .getByLabel('transaction', { exact: true })
      .fill(JSON.stringify({ from: SENDER, to: RECEIVER, value: '0x1' }))
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('.result').getByText('The transaction').waitFor()
    await page.locator('.result a[href^="#/tx/0x"]').click()
    await untilShown(page, 'Transaction')
  })

  await inTab(
    'light and dark follow the system until somebody chooses',
    { colorScheme: 'dark' },
    async (t, { page }) => {
      const ground = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
      await untilShown(page, 'Local development chain')
      const dark = await ground()
      await page.emulateMedia({ colorScheme: 'light' })
      const light = await ground()
      t.not(dark, light)
      await page.getByRole('button', { name: 'Switch to dark colours' }).click()
      t.equal(await ground(), dark)
      await page.reload()
      await untilShown(page, 'Local development chain')
      t.equal(await ground(), dark)
      await page.getByRole('button', { name: 'Switch to light colours' }).click()
      t.equal(await ground(), light)
    },
  )

  await inTab('the keyboard is enough', {}, async (t, { page }) => {
    await untilShown(page, 'Local development chain')
    await page.keyboard.press('Tab')
    t.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content')
    await page.keyboard.press('Enter')
    t.equal(await page.evaluate('document.activeElement.id'), 'main')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await untilShown(page, /^Block /)
  })

  for (const [size, viewport] of [
    ['a phone', { width: 320, height: 640 }],
    ['a desk', { width: 1280, height: 800 }],
  ] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await inTab(
        `every view on ${size}, ${colorScheme}: fits, and axe finds nothing`,
        { viewport, colorScheme },
        async (t, { page }) => {
          for (const [hash, title] of views(sample)) {
            await page.goto(`${url}${hash}`)
            await untilShown(page, title)
            t.equal(await overhang(page), 0, `${hash} fits`)
            t.same(await accessibilityFaults(page), [], hash)
          }
        },
      )
    }
  }
})

t.test('without a WebSocket the head is asked for', { skip }, async (t) => {
  const node = await startNode({ dataDir: join(t.testdir({ data: {} }), 'data') })
  t.teardown(() => node.stop())
  const tab = await open('about:blank')
  await tab.page.addInitScript(
    'window.WebSocket = class extends EventTarget { constructor() { super(); setTimeout(() => this.dispatchEvent(new Event("close"))) } close() {} }',
  )
  await tab.page.goto(`${node.url}/`)
  await tab.page.locator('#feed[data-state=polling]').waitFor()
  await send(node, { to: RECEIVER, value: '0x1' })
  await tab.page.locator('.height', { hasText: /^1$/ }).waitFor()
  await node.stop()
  await tab.page.locator('#feed[data-state=offline]').waitFor()
})

t.test('no page where it is switched off', async (t) => {
  const node = await startNode({ dataDir: join(t.testdir({ data: {} }), 'data'), args: ['--no-page'] })
  t.teardown(() => node.stop())
  for (const path of ['/', '/page/main.js']) t.equal((await fetch(`${node.url}${path}`)).status, 405)
})

/** One address of each view, and its heading. */
function views(sample: Sample): readonly (readonly [hash: string, title: string])[] {
  return [
    ['#/', 'Local development chain'],
    ['#/blocks', 'Newest blocks'],
    ['#/block/1', 'Block 1'],
    ['#/bridge', 'Bridge'],
    ['#/bridge/0', 'Bridge'],
    ['#/peers', 'Peers'],
    [`#/tx/${sample.nested}`, 'Transaction'],
    [`#/tx/${sample.failed}`, 'Transaction'],
    [`#/address/${sample.token}`, 'Address'],
    [`#/address/${RECEIVER}`, 'Address'],
    [`#/tx/${sample.approval}`, 'Transaction'],
    ['#/methods', 'Methods'],
    ['#/methods/eth_getLogs', 'eth_getLogs'],
    ['#/search/nothing', 'Nothing found'],
  ]
}
