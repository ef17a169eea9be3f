import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { QueryClient } from '@tanstack/react-query'
import { type ApiError, call, type Place } from './call.ts'
import { changeOptimistically, type OptimisticChange } from './optimistic.ts'
import { type Input, type OperationName, type Request, requestOf } from './request.ts'
import { onLeave } from './session.ts'

export interface Undo extends Pick<Request, 'path' | 'method' | 'body'> {
  /** The toast to show afterwards. */
  says: string
  /** The optimistic change to show meanwhile, if any. */
  shown?: OptimisticChange | undefined
}

/** Like `act`, describes an undo by operation name. */
export const undoWith = <Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  about: Pick<Undo, 'says' | 'shown'>,
): Undo => ({ ...requestOf(name, { ...input }), ...about })

/** Long enough to read the toast and reach its button with the keyboard. */
const OFFERED_MS = 8_000

interface Offer {
  id: string
  take(): void
}

/** The actions that can still be undone, newest last. */
let offers: Offer[] = []

// The next user must not see the toasts of this one.
onLeave(() => {
  offers = []
  notifications.clean()
})

const withdraw = (id: string) => {
  offers = offers.filter((one) => one.id !== id)
}

/**
 * Shows a success toast with an Undo button. If the response had an `etag`, the server refuses to
 * undo the action after further changes to the record.
 */
export function offerUndo(
  done: string,
  undo: Undo,
  { queries, place, etag }: { queries: QueryClient; place: Place; etag: string | undefined },
): void {
  const id = crypto.randomUUID()
  const take = () => {
    if (!offers.some((one) => one.id === id)) return
    withdraw(id)
    notifications.hide(id)
    void takeBack(undo, { queries, place, etag })
  }
  offers.push({ id, take })
  notifications.show({
    id,
    color: 'green',
    autoClose: OFFERED_MS,
    onClose: () => withdraw(id),
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm" inherit className="breaks">
          {done}
        </Text>
        <Button size="compact-sm" variant="default" flex="none" onClick={take}>
          Undo
        </Button>
      </Group>
    ),
  })
}

/** Undoes the last action, if that is still possible. */
export function undoLatest(): void {
  offers.at(-1)?.take()
}

async function takeBack(
  { path, method, body, says, shown }: Undo,
  { queries, place, etag }: { queries: QueryClient; place: Place; etag: string | undefined },
): Promise<void> {
  const idempotencyKey = crypto.randomUUID()
  const back = shown && (await changeOptimistically(queries, shown, place))
  try {
    await call(path, { method, body, place, idempotencyKey, ifMatch: etag })
    notifications.show({ message: says, color: 'green' })
  } catch (error) {
    back?.()
    const { status, message } = error as ApiError
    notifications.show({
      title: 'Could not undo',
      message:
        status === 412
          ? 'The record has since been changed again, so your change was not undone.'
          : message,
      color: 'red',
    })
  } finally {
    await queries.invalidateQueries()
  }
}
