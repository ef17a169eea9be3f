import { describe, expect, test } from 'vitest'
import { fairQueue } from './fair-queue.ts'

/** Jobs that end on demand, in the order in which they started. */
function works(atOnceMax: number) {
  const inTurn = fairQueue(atOnceMax)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const add = (who: string, name: string) =>
    inTurn(who, () => {
      begun.push(name)
      return new Promise<string>((end) => ends.push(() => end(name)))
    })
  /** Ends the oldest running job, so that the next one starts. */
  const end = async () => {
    ends.shift()?.()
    await new Promise((settled) => setImmediate(settled))
  }
  return { add, end, begun }
}

describe('taking turns', () => {
  test('makes a newcomer wait for only one job of a sender with many', async () => {
    const { add, end, begun } = works(1)
    const all = ['a1', 'a2', 'a3', 'a4'].map((name) => add('a', name))
    all.push(add('b', 'b1'), add('c', 'c1'), add('b', 'b2'))
    for (const _ of all) await end()
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'])
  })

  test('runs no more than the limit at once, and all in the end', async () => {
    const inTurn = fairQueue(3)
    let running = 0
    let most = 0
    const work = async () => {
      running++
      most = Math.max(most, running)
      await new Promise((settled) => setImmediate(settled))
      running--
      return most
    }
    const all = Array.from({ length: 50 }, (_, i) => inTurn(i % 7, work))
    expect(await Promise.all(all)).toHaveLength(50)
    expect([most, running]).toEqual([3, 0])
  })

  test('continues after a failure', async () => {
    const inTurn = fairQueue(1)
    const failing = inTurn('a', () => Promise.reject(new Error('no picture')))
    const following = inTurn('b', () => Promise.resolve('done'))
    await expect(failing).rejects.toThrow('no picture')
    expect(await following).toBe('done')
    expect(await inTurn('a', () => Promise.resolve('again'))).toBe('again')
  })
})
