import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayErrors, type HostileAnswer, oauthErrors } from './hostile.ts'

test('the shapes of errors outside of content tell right from wrong', () => {
  assert.equal(gatewayErrors(answer({ error_msg: 'no' })), undefined)
  assert.equal(gatewayErrors(answer({ message: 'no' })), undefined)
  assert.notEqual(gatewayErrors(answer({ error: 'no' })), undefined)
  assert.equal(oauthErrors(answer({ error: 'a', error_description: 'b' })), undefined)
  assert.notEqual(oauthErrors(answer({ error: 'a' })), undefined)
})

function answer(json: object): HostileAnswer {
  return { status: 400, headers: new Map(), text: JSON.stringify(json), json }
}
