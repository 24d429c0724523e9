import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import t from 'tap'
import { encodeFunctionData, parseAbi } from 'viem'
import { CONSOLE_ADDRESS, consoleText } from '../../../src/abi/consoleLog.ts'
import { selectorOf } from '../../../src/abi/contractInterface.ts'
import { fromHex } from '../../../src/util/bytes.ts'

const require = createRequire(import.meta.url)

function printed(signature: string, args: readonly unknown[]): string | null {
  const abi = parseAbi([`function log(${signature})`] as readonly [string]) as never
  return consoleText(fromHex(encodeFunctionData({ abi, functionName: 'log', args } as never)))
}

t.test('everything that the library of Hardhat can log is known', (t) => {
  const source = readFileSync(require.resolve('hardhat/console.sol'), 'utf8')
  const signatures = [...source.matchAll(/encodeWithSignature\("(log\([^"]*\))"/g)].map(([, found]) => found)
  t.ok(signatures.length > 370, `${signatures.length} overloads`)
  t.ok(source.toLowerCase().includes(CONSOLE_ADDRESS.toLowerCase()))
  const unknown = signatures.filter((signature) => {
    // Zeros are an encoding of every list of types without dynamic ones, and of empty texts.
    const data = Buffer.concat([fromHex(selectorOf(signature ?? '')), Buffer.alloc(32 * 8)])
    return consoleText(data) === null
  })
  t.same(unknown, [])
  t.end()
})

t.test('libraries of before Hardhat 2.12 took short names for their selectors', (t) => {
  const data = Buffer.concat([
    fromHex(selectorOf('log(string,uint)')),
    fromHex(
      encodeFunctionData({
        abi: parseAbi(['function log(string,uint256)']),
        functionName: 'log',
        args: ['n', 7n],
      }),
    ).subarray(4),
  ])
  t.equal(consoleText(data), 'n 7')
  t.end()
})

t.test('arguments are printed as the consoles of Hardhat and Foundry print them', (t) => {
  const address = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'
  t.equal(printed('', []), '')
  t.equal(printed('string', ['100%']), '100%')
  t.equal(printed('uint256', [2n ** 256n - 1n]), (2n ** 256n - 1n).toString())
  t.equal(printed('int256', [-5n]), '-5')
  t.equal(printed('string,int256', ['at', -5n]), 'at -5')
  t.equal(printed('bool', [true]), 'true')
  t.equal(printed('address', [address]), address)
  t.equal(printed('bytes', ['0x0102']), '0x0102')
  t.equal(printed('bytes4', ['0x01020304']), '0x01020304')
  t.equal(printed('string,uint256,bool,address', ['a', 1n, false, address]), `a 1 false ${address}`)
  t.equal(printed('address,uint256', [address, 1n]), `${address} 1`)
  t.end()
})

t.test('specifiers take the arguments behind them', (t) => {
  t.equal(printed('string,uint256', ['%d of it', 9n]), '9 of it')
  t.equal(printed('string,uint256,string', ['%s and %s', 9n, 'x']), '9 and x')
  t.equal(printed('string,uint256', ['%s and %s', 9n]), '9 and %s')
  t.equal(printed('string,uint256,uint256', ['%i', 9n, 10n]), '9 10')
  t.equal(printed('string,uint256', ['%x', 255n]), '0xff')
  t.equal(printed('string,int256', ['%x', -255n]), '-0xff')
  t.equal(printed('string,uint256', ['100%% of %d', 9n]), '100% of 9')
  t.equal(printed('string,uint256', ['%18e', 1_500_000_000_000_000_000n]), '1.5')
  t.equal(printed('string,uint256', ['%18e', 1n]), '0.000000000000000001')
  t.equal(printed('string,uint256', ['%e', 1_230_000n]), '1.23e6')
  t.equal(printed('string,uint256', ['%e', 0n]), '0e0')
  t.equal(printed('string,string', ['%s', '%d']), '%d')
  t.end()
})

t.test('what no library sends has no text', (t) => {
  t.equal(consoleText(Buffer.alloc(0)), null)
  t.equal(consoleText(fromHex('0x12345678')), null)
  t.equal(consoleText(fromHex(selectorOf('log(string)'))), null)
  t.end()
})
