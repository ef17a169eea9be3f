import { ActionIcon, Menu, NumberInput, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBan, IconDots, IconRotate } from '@tabler/icons-react'
import { type Envelope, useAction } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { FormModal } from '../../parts/FormModal.tsx'
import { t } from '../../texts/en.ts'
import { t as own } from '../../texts/keys.ts'
import type { KeyRecord, MadeKey } from './types.ts'

interface Grace extends Record<string, unknown> {
  graceHours: number
}

/** What can be done with a key: another in its place, or its end. */
export function KeyActions({ of, onMade }: { of: KeyRecord; onMade(key: MadeKey): void }) {
  const { reference, hint, label, status } = of
  const [isRotating, rotating] = useDisclosure(false)
  const revoke = useAction({
    path: `/console/keys/${reference}/revoke`,
    done: own.theKeyIsRevoked,
    refresh: ['/console/keys'],
  })
  if (status !== 'Active' && status !== 'Replaced') return null
  const name = label ? `${label} (${hint})` : hint
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`${t.action.more}: ${name}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {status === 'Active' && (
            <Menu.Item leftSection={<IconRotate size={16} />} onClick={rotating.open}>
              {own.rotate}
            </Menu.Item>
          )}
          <Menu.Item
            color="red"
            leftSection={<IconBan size={16} />}
            onClick={() =>
              confirm({
                title: own.askToRevoke(name),
                text: own.whateverUsesItIsRefused,
                verb: own.revokeTheKey,
                isDangerous: true,
                go: () => revoke.mutate(),
              })
            }
          >
            {own.revoke}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <FormModal<Grace>
        title={own.rotateOf(name)}
        opened={isRotating}
        onClose={rotating.close}
        initial={{ graceHours: 24 }}
        action={{ path: `/console/keys/${reference}/rotate`, refresh: ['/console/keys'] }}
        verb={own.rotateTheKey}
        onDone={(answer) => onMade((answer as Envelope<MadeKey>).data)}
      >
        {(form) => (
          <>
            <Text size="sm">{own.youGetANewKey}</Text>
            <NumberInput
              label={own.hoursTheOldKeyKeeps}
              min={0}
              max={168}
              data-autofocus
              {...form.getInputProps('graceHours')}
            />
          </>
        )}
      </FormModal>
    </>
  )
}
