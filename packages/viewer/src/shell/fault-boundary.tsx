import { Component, type ComponentChildren } from 'preact';
import { FaultNotice } from '../ui/notice.js';

/** A fault while one page is drawn leaves the others. */
export class FaultBoundary extends Component<{ children: ComponentChildren }, { fault: unknown }> {
  override state = { fault: undefined };

  static override getDerivedStateFromError(fault: unknown) {
    return { fault };
  }

  override render() {
    const { fault } = this.state;
    if (fault === undefined) return this.props.children;
    return (
      <main>
        <FaultNotice fault={fault} again={() => location.reload()} />
      </main>
    );
  }
}
