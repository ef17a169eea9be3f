import { ActionIcon, Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { type ReactNode, useRef } from 'react'
import { t } from '../texts/en.ts'

export interface Choice {
  label: string
  icon?: ReactNode
  isDangerous?: boolean
  /** False hides it. */
  may?: boolean
  go(): void
}

/** What can be done besides; nothing is shown where nothing can be. */
export function MoreMenu({ choices }: { choices: Choice[] }) {
  const button = useRef<HTMLButtonElement>(null)
  const shown = choices.filter(({ may = true }) => may)
  if (shown.length === 0) return null
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon ref={button} variant="default" size={36} aria-label={t.action.more}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {shown.map(({ label, icon, isDangerous, go }) => (
          <Menu.Item
            key={label}
            leftSection={icon}
            onClick={() => {
              // Dialogs give the focus back to what had it, which must still be there then.
              button.current?.focus()
              go()
            }}
            {...(isDangerous && { color: 'red' })}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
