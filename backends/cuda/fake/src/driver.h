// driver.h: what the fake driver says of its devices.
#ifndef TASO_FAKE_DRIVER_H
#define TASO_FAKE_DRIVER_H

int taso_device(void);       // of the calling thread's context
int taso_shared_optin(void); // bytes of shared memory a kernel may ask for
void taso_reset_modules(void);

#endif
