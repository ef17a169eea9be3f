import { ActionIcon, Menu } from '@mantine/core'
import { IconDots, type IconProps } from '@tabler/icons-react'
import { type ComponentType, useRef } from 'react'

export interface Choice {
  label: string
  icon?: ComponentType<IconProps>
  isDangerous?: boolean
  /** False hides the action. */
  may?: boolean
  go(): void
}

/** Hidden if no actions are available. */
export function MoreMenu({ choices }: { choices: Choice[] }) {
  const button = useRef<HTMLButtonElement>(null)
  const shown = choices.filter(({ may = true }) => may)
  if (shown.length === 0) return null
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon ref={button} variant="default" size={36} aria-label="More actions">
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {shown.map(({ label, icon: Icon, isDangerous, go }) => (
          <Menu.Item
            key={label}
            leftSection={Icon && <Icon size={16} />}
            onClick={() => {
              // Dialogs return focus to this button when they close.
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
