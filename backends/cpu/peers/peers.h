// peers.h: OpenBLAS and oneDNN (version 2), opened at run time.
#ifndef TASO_PEERS_H
#define TASO_PEERS_H

typedef struct peer_blas peer_blas;
typedef struct peer_dnn peer_dnn;
typedef struct peer_conv peer_conv;

peer_blas *peer_blas_open(void);
const char *peer_blas_config(peer_blas *);
void peer_blas_gemm(peer_blas *, int m, int n, int k, const float *a, const float *b, float *c);

peer_dnn *peer_dnn_open(void);
int peer_dnn_gemm(peer_dnn *, int m, int n, int k, const float *a, const float *b, float *c);
peer_conv *peer_dnn_conv(peer_dnn *, int c, int h, int w, int o, int kh, int kw, int pad);
int peer_dnn_conv_run(peer_conv *);

#endif
