import { expect, test } from 'vitest'
import { isSameName } from './text.ts'

test.each([
  ['Ada Obi', 'OBI, ADA'],
  ['Adébáyọ̀ Ọlá', 'ola adebayo'],
  ["O'Brien-Eze Ngozi", 'NGOZI OBRIEN EZE'.replace('OBRIEN', "O'BRIEN")],
  ['  Ada   Obi ', 'ada obi'],
])('%s is %s', (one, other) => {
  expect(isSameName(one, other)).toBe(true)
})

test.each([
  ['Ada Obi', 'Ada'],
  ['Ada Obi', 'Ada Eze'],
  ['Ada Obi', 'Ada Ada Obi'],
  ['Ada Obi', ''],
])('%s is not %s', (one, other) => {
  expect(isSameName(one, other)).toBe(false)
})
