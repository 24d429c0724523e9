import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { differences, withoutReferences } from './compare.js'
import { ask, makeScene } from './scene.js'

/**
 * The OpenRPC document of the execution-apis. That of the package leaves out what a wallet does not pass on;
 * OPENRPC names another, such as the one of the specification's branch `assembled-spec`.
 */
const path =
  process.env.OPENRPC ?? createRequire(import.meta.url).resolve('@metamask/api-specs/dist/build/openrpc.json')
const methods = new Map(
  withoutReferences(JSON.parse(readFileSync(path, 'utf8'))).map((method) => [method.name, method]),
)
const known = JSON.parse(readFileSync(new URL('differences.json', import.meta.url), 'utf8'))
const reasons = new Map(known.flatMap(({ reason, at }) => at.map((entry) => [entry, reason])))

const requests = (await makeScene()).filter(([name]) => methods.has(name))
for (const [name, params] of requests) {
  const asked = `${name} ${JSON.stringify(params)}`
  await test(asked.length > 150 ? `${asked.slice(0, 150)}…` : asked, async (t) => {
    const answer = await ask(name, params)
    const found =
      answer.error === undefined
        ? differences(methods.get(name).result.schema, answer.result)
        : [`error ${answer.error.code}`]
    const unknown = found.filter((difference) => !reasons.has(`${name} ${difference}`))
    for (const difference of found)
      t.diagnostic(`${difference}: ${reasons.get(`${name} ${difference}`) ?? '?'}`)
    assert.deepEqual(unknown, [], JSON.stringify(answer).slice(0, 2000))
  })
}
