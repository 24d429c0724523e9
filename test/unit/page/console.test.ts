import t from 'tap'
import { type Abi, encodeFunctionData, type Hex } from 'viem'
import { consoleText as onTerminal } from '../../../src/abi/consoleLog.ts'
import { consoleText } from '../../../src/page/abi/console.js'
import { fromHex } from '../../../src/util/bytes.ts'

const CONSOLE = '0x000000000000000000636F6e736F6c652e6c6f67'
const WHO = `0x${'ab'.repeat(20)}`

function log(types: readonly string[], args: readonly unknown[]): Hex {
  const inputs = types.map((type) => ({ name: '', type }))
  const abi = [{ type: 'function', name: 'log', inputs, outputs: [], stateMutability: 'view' }] as Abi
  return encodeFunctionData({ abi, functionName: 'log', args })
}

t.test('the page says what contracts print as the terminal does', (t) => {
  const samples: readonly (readonly [types: string[], args: unknown[], said: string])[] = [
    [[], [], ''],
    [['string'], ['100%'], '100%'],
    [['string', 'uint256', 'uint256'], ['withdraw %s of %d', 700n, 100n], 'withdraw 700 of 100'],
    [['string', 'uint256'], ['%x%%', 255n], '0xff%'],
    [['string', 'int256'], ['%x', -255n], '-0xff'],
    [['string', 'uint256', 'uint256'], ['%18e %e', 15n * 10n ** 17n, 15n * 10n ** 17n], '1.5 1.5e18'],
    [['string', 'uint256'], ['%2e', 1_234_567_890n], '12345678.9'],
    [['string', 'bool', 'address', 'uint256'], ['%s', true, WHO, 5n], `true ${WHO} 5`],
    [['bool', 'string'], [false, '%s'], 'false %s'],
    [['bytes3'], ['0x010203'], '0x010203'],
    [['bytes'], ['0x0102'], '0x0102'],
    [['int256'], [-5n], '-5'],
    [['string', 'string'], ['<img src=x>', '\u202e'], '<img src=x> \u202e'],
  ]
  for (const [types, args, said] of samples) {
    const data = log(types, args)
    t.equal(consoleText(CONSOLE, data), said, said)
    t.equal(onTerminal(fromHex(data)), said, 'as on the terminal')
  }
  t.end()
})

t.test('what is no call of the console is none', (t) => {
  const data = log(['string'], ['x'])
  t.equal(consoleText(WHO, data), null)
  t.equal(consoleText(null, data), null)
  t.equal(consoleText(CONSOLE, '0x'), null)
  t.equal(consoleText(CONSOLE, '0x12345678'), null)
  t.equal(consoleText(CONSOLE, data.slice(0, 40)), null, 'cut off')
  t.end()
})
