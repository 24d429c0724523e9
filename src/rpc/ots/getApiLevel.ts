import { defineMethod } from '../defineMethod.ts'

/** The version of Otterscan's methods that those here are of. */
const API_LEVEL = 8

/** The first question of Otterscan. */
export const getApiLevel = defineMethod({
  name: 'ots_getApiLevel',
  doc: 'Version of the methods of Otterscan.',
  params: [],
  result: { type: 'integer' },
  lane: 'inline',
  cost: 1,
  cache: 'forever',
  audience: 'dev',
  handler: () => API_LEVEL,
})
