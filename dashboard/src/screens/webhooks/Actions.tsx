import { ActionIcon, Button, Menu } from '@mantine/core'
import {
  IconDots,
  IconHistory,
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconSend,
  IconTrash,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Webhook } from '../../../../sdk/src/operations.ts'
import { useAction } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { useGo } from '../../shell/where.ts'
import { t } from '../../texts/en.ts'
import { t as own } from '../../texts/webhooks.ts'
import { EndpointForm } from './EndpointForm.tsx'
import { ReplayForm } from './ReplayForm.tsx'
import { RotateForm } from './RotateForm.tsx'
import { SecretOnce } from './SecretOnce.tsx'
import { TestForm } from './TestForm.tsx'

/** What can be done with an endpoint. */
export function Actions({ of: endpoint }: { of: Webhook }) {
  const [open, setOpen] = useState<'test' | 'edit' | 'rotate' | 'replay'>()
  const [secret, setSecret] = useState<string>()
  const { toggle, remove } = useEndpointActions(endpoint)
  const isActive = endpoint.status === 'Active'
  const form = (name: typeof open) => ({
    of: endpoint,
    opened: open === name,
    onClose: () => setOpen(undefined),
  })
  return (
    <>
      <Button leftSection={<IconSend size={16} />} onClick={() => setOpen('test')}>
        {own.sendATest}
      </Button>
      <Button
        variant="default"
        leftSection={<IconPencil size={16} />}
        onClick={() => setOpen('edit')}
      >
        {t.action.edit}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t.action.more}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isActive && (
            <Menu.Item leftSection={<IconHistory size={16} />} onClick={() => setOpen('replay')}>
              {own.replayATimeRange}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconKey size={16} />} onClick={() => setOpen('rotate')}>
            {own.rotateTheSecret}
          </Menu.Item>
          <Menu.Item
            leftSection={isActive ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
            onClick={toggle}
          >
            {isActive ? own.disable : own.enable}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item c="var(--bad)" leftSection={<IconTrash size={16} />} onClick={remove}>
            {t.action.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <TestForm {...form('test')} />
      <EndpointForm {...form('edit')} />
      <ReplayForm {...form('replay')} />
      <RotateForm {...form('rotate')} onRotated={setSecret} />
      <SecretOnce secret={secret} onClose={() => setSecret(undefined)} />
    </>
  )
}

const SAYS = {
  Active: own.theEndpointIsEnabled,
  Disabled: own.theEndpointIsDisabled,
}

function useEndpointActions({ reference, status, url }: Webhook) {
  const go = useGo()
  const queries = useQueryClient()
  const path = `user-service/webhooks/${reference}`
  const isActive = status === 'Active'
  const shownAs = (wanted: string) => ({
    in: 'user-service/webhooks',
    is: (row: Webhook) => row.reference === reference,
    as: { status: wanted },
  })
  const change = useAction<unknown, 'Active' | 'Disabled'>({
    path,
    method: 'PUT',
    send: (wanted) => ({ status: wanted }),
    shown: shownAs,
    done: (wanted) => SAYS[wanted],
    undo: (wanted) => {
      const before = wanted === 'Active' ? 'Disabled' : 'Active'
      const way = { path, method: 'PUT', body: { status: before } } as const
      return { ...way, says: SAYS[before], shown: shownAs(before) }
    },
  })
  const erase = useAction({
    path: `${path}/delete`,
    done: own.theEndpointIsDeleted,
    // The record is gone: only the list is read again, when this screen is left.
    refresh: [],
  })
  const disable = () =>
    confirm({
      title: own.disableThisEndpoint,
      text: own.isSentNothingUntilIt(url),
      verb: own.disableTheEndpoint,
      go: () => change.mutate('Disabled'),
    })
  return {
    toggle: isActive ? disable : () => change.mutate('Active'),
    remove: () =>
      confirm({
        title: own.deleteThisEndpoint,
        text: own.isNeverSentAnythingAgain(url),
        verb: own.deleteTheEndpoint,
        isDangerous: true,
        go: () =>
          erase.mutate(undefined, {
            onSuccess: () => {
              go('webhooks')
              void queries.invalidateQueries({
                predicate: ({ queryKey }) => queryKey[2] === 'user-service/webhooks',
              })
            },
          }),
      }),
  }
}
